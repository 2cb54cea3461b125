// How the keys and tokens of well-known vendors begin, and what must follow for one to be taken for real.
import type { Kind } from './kinds.ts'
import { runOf, type RunSort } from './page.ts'

export type TokenFormat = {
  prefix: string
  /** What must follow: a run of this sort, of at least `min` and at most `max` characters. */
  of: RunSort
  min: number
  max?: number
  kind: Kind
  /** Letters and digits must be mixed; left out where the beginning alone tells. */
  mixed?: boolean
  /** From this length on capitals mixed with small letters will do; where the beginning tells much, that is short. */
  casedMin?: number
}

function key(
  prefixes: string,
  min: number,
  of: TokenFormat['of'],
  more?: Partial<TokenFormat>,
): TokenFormat[] {
  return prefixes
    .split(' ')
    .map((prefix) => ({ prefix, min, of, kind: 'key', mixed: true, ...more }))
}

const exact = { mixed: false }
const cloud = { kind: 'cloud_key' } as const
/** Keys so short often lack digits by chance. */
const cased = { casedMin: 16 }

export const tokenFormats: TokenFormat[] = [
  // Ours.
  ...key('hone_ hsk_', 40, runOf.plain),
  // Models.
  ...key('sk-', 20, runOf.tokenic),
  ...key('sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- pk-lf-', 20, runOf.tokenic),
  ...key('gsk_ fw_ pplx- xai- nvapi- r8_ tgp_v1_ csk-', 20, runOf.tokenic),
  ...key('hf_ api_org_', 30, runOf.plain, exact),
  ...key('lsv2_pt_ lsv2_sk_', 30, runOf.tokenic),
  // Code and packages.
  ...key('ghp_ gho_ ghu_ ghs_ ghr_', 30, runOf.plain, exact),
  ...key('github_pat_', 22, runOf.tokenic),
  ...key(
    'glpat- gldt- glrt- glcbt- glptt- gloas- glsoat- glimt- glagent- glffct-',
    16,
    runOf.tokenic,
    cased,
  ),
  ...key('npm_', 30, runOf.plain, exact),
  ...key('pypi-AgE pypi-AgN pypi-', 40, runOf.tokenic),
  ...key('rubygems_', 40, runOf.hex),
  ...key('dckr_pat_ dckr_oat_', 20, runOf.tokenic, cased),
  ...key('sgp_', 40, runOf.tokenic),
  ...key('CLOJARS_', 40, runOf.plain),
  ...key('ATATT3 ATBB ATCTT3', 24, runOf.tokenic),
  ...key('AKCp', 60, runOf.plain),
  // Messages.
  ...key('xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxd- xoxc- xapp- xoxe- xoxe.', 10, runOf.dotted),
  ...key('hooks.slack.com/services/ hooks.slack.com/workflows/', 20, runOf.path, exact),
  ...key('discord.com/api/webhooks/ discordapp.com/api/webhooks/', 20, runOf.path, exact),
  ...key('SG.', 40, runOf.dotted),
  ...key('key-', 32, runOf.hex, { max: 32, mixed: true }),
  ...key('xkeysib- xsmtpsib-', 40, runOf.tokenic),
  ...key('AC SK', 32, runOf.hex, { max: 32, mixed: true }),
  // Money and shops.
  ...key('sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ whsec_', 16, runOf.plain, cased),
  ...key('sk_', 16, runOf.plain),
  ...key('sq0atp- sq0csp- sq0idp- sqOatp-', 20, runOf.tokenic, cased),
  ...key('EAAA EAAAE', 56, runOf.tokenic),
  ...key('shpat_ shpss_ shppa_ shpca_ shptka_', 32, runOf.hex),
  ...key('EZAK EZTK', 50, runOf.plain),
  ...key('access$production$', 30, runOf.plain),
  // Work.
  ...key('lin_api_ lin_oauth_', 30, runOf.plain),
  ...key('secret_', 40, runOf.plain, { max: 60 }),
  ...key('ntn_', 40, runOf.plain),
  ...key('PMAK-', 30, runOf.tokenic),
  ...key('figd_ figo_', 30, runOf.tokenic),
  ...key('pat', 70, runOf.dotted, { max: 90 }),
  ...key('CFPAT-', 40, runOf.tokenic),
  ...key('rdme_', 60, runOf.plain),
  ...key('tfp_', 40, runOf.dotted),
  ...key('ops_eyJ', 100, runOf.tokenic, exact),
  // Running things.
  ...key('sntrys_ sntryu_', 40, runOf.tokenic),
  ...key('glsa_ glc_', 30, runOf.tokenic),
  ...key('NRAK- NRII- NRJS- NRAA-', 20, runOf.plain, exact),
  ...key('vercel_blob_rw_ vcp_ vck_ vci_ vca_', 24, runOf.tokenic),
  ...key('nfp_ nfc_ nfo_ nfu_', 30, runOf.plain),
  ...key('rnd_', 26, runOf.plain, cased),
  ...key('HRKU-', 30, runOf.tokenic),
  ...key('fo1_ fm2_ FlyV1', 30, runOf.tokenic),
  ...key('hvs. hvb. hvr.', 20, runOf.tokenic),
  ...key('dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', 36, runOf.dotted),
  ...key('pscale_tkn_ pscale_pw_ pscale_oauth_', 30, runOf.dotted),
  ...key('pul-', 40, runOf.hex),
  ...key('sbp_', 40, runOf.hex),
  ...key('sb_secret_', 20, runOf.tokenic, cased),
  ...key('tskey-', 20, runOf.tokenic),
  ...key('AGE-SECRET-KEY-1', 50, runOf.plain, exact),
  ...key('aio_', 28, runOf.plain),
  ...key('PRT- pnu_ pnb_', 30, runOf.plain),
  ...key('sl.', 60, runOf.dotted),
  ...key('EAA', 80, runOf.plain),
  ...key('v1.0-', 140, runOf.tokenic),
  ...key('cfut_ cfat_', 40, runOf.tokenic),
  ...key('sk.eyJ pk.eyJ', 40, runOf.dotted, exact),
  // Clouds.
  ...key('AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA', 16, runOf.plain, {
    ...cloud,
    max: 16,
    mixed: false,
  }),
  ...key('AIza', 35, runOf.tokenic, { ...cloud, mixed: false }),
  ...key('GOCSPX-', 24, runOf.tokenic, { ...cloud, mixed: false }),
  ...key('ya29.', 30, runOf.dotted, cloud),
  ...key('1//0', 40, runOf.tokenic, cloud),
  ...key('GOOG', 20, runOf.plain, { ...cloud, mixed: true, max: 61 }),
  ...key('dop_v1_ doo_v1_ dor_v1_', 60, runOf.hex, cloud),
  ...key('dapi dose dkea', 32, runOf.hex, { ...cloud, max: 34 }),
  ...key('LTAI', 16, runOf.plain, { ...cloud, ...cased, max: 20 }),
  ...key('AKID', 32, runOf.plain, { ...cloud, max: 40 }),
  ...key('ABSK', 100, runOf.plain, cloud),
]
