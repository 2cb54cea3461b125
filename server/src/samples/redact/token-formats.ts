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
  /** All letters are capitals. */
  capitals?: boolean
  /** Written as a UUID is. */
  uuid?: boolean
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
const capitals = { capitals: true }
const uuid = { mixed: false, uuid: true }

export const tokenFormats: TokenFormat[] = [
  // Ours.
  ...key('hone_ hsk_', 40, runOf.plain),
  // Models.
  ...key('sk-', 20, runOf.tokenic),
  ...key('sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- pk-lf-', 20, runOf.tokenic),
  ...key('gsk_ fw_ pplx- xai- nvapi- r8_ tgp_v1_ csk- llx- pcsk_ jina_', 20, runOf.tokenic),
  ...key('sk_car_ e2b_ apify_api_ bb_live_ opk_ flp_ hl_sk_', 20, runOf.plain),
  ...key('hf_ api_org_', 30, runOf.plain, exact),
  ...key('lsv2_pt_ lsv2_sk_', 30, runOf.tokenic),
  ...key('ls__ fc- pl_', 32, runOf.hex),
  ...key('key_', 60, runOf.hex),
  ...key('tvly- tvly-dev- tvly-prod-', 28, runOf.plain),
  ...key('pa-', 43, runOf.tokenic, { max: 43 }),
  ...key('esecret_', 24, runOf.plain),
  ...key('rpa_', 40, runOf.plain, capitals),
  ...key('wandb_v1_', 40, runOf.tokenic),
  ...key('ak- as-', 22, runOf.plain, { max: 22 }),
  // Code and packages.
  ...key('ghp_ gho_ ghu_ ghs_ ghr_', 30, runOf.plain, exact),
  ...key('github_pat_', 22, runOf.tokenic),
  ...key(
    'glpat- gldt- glrt- glrtr- glcbt- glptt- gloas- glsoat- glimt- glagent- glffct- glft- glwt-',
    16,
    runOf.tokenic,
    cased,
  ),
  ...key('GR1348941', 20, runOf.tokenic, cased),
  ...key('npm_', 30, runOf.plain, exact),
  ...key('pypi-AgE pypi-AgN pypi-', 40, runOf.tokenic),
  ...key('rubygems_', 40, runOf.hex),
  ...key('cio', 32, runOf.plain, { max: 32 }),
  ...key('oy2', 43, runOf.plain, { max: 43 }),
  ...key('ovsxat_', 30, runOf.tokenic),
  ...key('packagist_', 60, runOf.tokenic),
  ...key('dckr_pat_ dckr_oat_', 20, runOf.tokenic, cased),
  ...key('sgp_', 40, runOf.tokenic),
  ...key('sqp_ squ_ sqa_', 40, runOf.hex),
  ...key('CLOJARS_', 40, runOf.plain),
  ...key('ATATT3 ATCTT3', 24, runOf.wide),
  ...key('ATBB', 24, runOf.tokenic),
  ...key('ATTA', 60, runOf.hex),
  ...key('BBDC-', 40, runOf.wide),
  ...key('AKCp', 60, runOf.plain),
  ...key('cmVmdGtu', 50, runOf.plain),
  ...key('CCIPAT_ CCIPRJ_', 30, runOf.tokenic),
  ...key('bkua_ bkct_ bkaj_', 40, runOf.hex),
  ...key('perm: perm-', 40, runOf.wideDotted),
  // Messages.
  ...key('xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xapp- xoxe- xoxe. xwfp-', 10, runOf.dotted),
  ...key('xoxd-', 10, runOf.wideDotted),
  ...key('hooks.slack.com/services/ hooks.slack.com/workflows/', 20, runOf.path, exact),
  ...key('hooks.slack.com/triggers/ hooks.zapier.com/hooks/catch/', 14, runOf.path, exact),
  ...key('discord.com/api/webhooks/ discordapp.com/api/webhooks/', 20, runOf.path, exact),
  ...key('maker.ifttt.com/use/', 20, runOf.tokenic),
  ...key('mfa.', 80, runOf.tokenic),
  ...key('SG.', 40, runOf.dotted),
  ...key('key-', 32, runOf.hex, { max: 32, mixed: true }),
  ...key('re_', 33, runOf.tokenic, { max: 33 }),
  ...key('mlsn.', 60, runOf.plain),
  ...key('xkeysib- xsmtpsib-', 40, runOf.tokenic),
  ...key('os_v2_app_ os_v2_org_', 60, runOf.plain),
  ...key('AC SK', 32, runOf.hex, { max: 32, mixed: true }),
  ...key('APA91b', 100, runOf.tokenic),
  ...key('IGQV IGAA', 100, runOf.plain),
  ...key('AAAAAAAAAAAAAAAAAAAAA', 60, runOf.wide, { max: 140 }),
  ...key('dG9rO', 50, runOf.wide, { max: 100 }),
  ...key('WPL_AP1.', 16, runOf.wideDotted),
  // Money and shops.
  ...key('sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_', 16, runOf.plain, cased),
  ...key('whsec_', 16, runOf.wide, cased),
  ...key('sk_', 16, runOf.plain),
  ...key('sk_sbox_ pk_sbox_', 20, runOf.plain),
  ...key('sq0atp- sq0csp- sq0idp- sq0idb- sqOatp-', 20, runOf.tokenic, cased),
  ...key('EAAA EAAAE', 56, runOf.tokenic),
  ...key('AQE', 80, runOf.base64, { max: 260 }),
  ...key('shpat_ shpss_ shppa_ shpca_ shptka_ shpua_ shprka_', 32, runOf.hex),
  ...key('EZAK EZTK', 50, runOf.plain),
  ...key('access_token$production$ access_token$sandbox$', 40, runOf.dollars),
  ...key('access$production$', 30, runOf.plain),
  ...key('access-production- access-sandbox- access-development-', 36, runOf.tokenic, uuid),
  ...key('rzp_live_ rzp_test_', 14, runOf.plain, { casedMin: 14 }),
  ...key('FLWSECK- FLWSECK_TEST-', 30, runOf.tokenic),
  ...key('shippo_live_ shippo_test_', 40, runOf.hex),
  ...key('duffel_live_ duffel_test_', 40, runOf.tokenic),
  ...key('live_ test_', 30, runOf.plain, { max: 40 }),
  ...key('amzn.mws.', 36, runOf.tokenic, uuid),
  ...key('amzn1.oa2-cs.v1.', 60, runOf.hex),
  ...key('alcht_', 30, runOf.plain),
  // Work.
  ...key('lin_api_ lin_oauth_', 30, runOf.plain),
  ...key('secret_', 40, runOf.plain, { max: 60 }),
  ...key('secret-live- secret-test-', 30, runOf.wide),
  ...key('ntn_', 40, runOf.plain),
  ...key('PMAK-', 30, runOf.tokenic),
  ...key('PMAT-', 24, runOf.plain, capitals),
  ...key('figd_ figo_', 30, runOf.tokenic),
  ...key('pat', 70, runOf.dotted, { max: 90 }),
  ...key('pat-na1- pat-na2- pat-eu1- pat-ap1-', 36, runOf.tokenic, uuid),
  ...key('pk_', 32, runOf.hex),
  ...key('pk_', 38, runOf.tokenic, capitals),
  ...key('CFPAT-', 40, runOf.tokenic),
  ...key('rdme_', 60, runOf.plain),
  ...key('tfp_', 40, runOf.dotted),
  ...key('fio-u-', 60, runOf.tokenic),
  ...key('retool_', 26, runOf.plain),
  ...key('phx_', 40, runOf.plain),
  ...key('sdk- mob- api-', 36, runOf.tokenic, uuid),
  ...key('ops_eyJ', 100, runOf.wide, exact),
  ...key('A3-', 30, runOf.tokenic, capitals),
  ...key('sec-c-', 40, runOf.wide),
  ...key('private_', 27, runOf.base64, { max: 29 }),
  // Running things.
  ...key('sntrys_ sntryu_', 40, runOf.wide),
  ...key('glsa_', 30, runOf.tokenic),
  ...key('glc_', 30, runOf.wide),
  ...key('eyJrIjoi', 50, runOf.wide, { max: 200 }),
  ...key('eyJhIjoi', 80, runOf.wide, { max: 400 }),
  ...key('NRAK- NRII- NRJS- NRAA-', 20, runOf.plain, exact),
  ...key('dt0c01. dt0s01. dt0s02. dt0s08. dt0s16.', 60, runOf.dotted),
  ...key('hcaik_ hcxik_ hcalk_ hcxlk_', 50, runOf.plain),
  ...key('xaat- xapt-', 36, runOf.tokenic, uuid),
  ...key('vercel_blob_rw_ vcp_ vck_ vci_ vca_ vcr_', 24, runOf.tokenic),
  ...key('nfp_ nfc_ nfo_ nfu_', 30, runOf.plain),
  ...key('rnd_', 26, runOf.plain, cased),
  ...key('HRKU-', 30, runOf.tokenic),
  ...key('fo1_', 30, runOf.tokenic),
  ...key('fm1r_ fm1a_ fm2_', 30, runOf.wide),
  ...key('ddp_ ddw_ ddo_', 30, runOf.plain),
  ...key('hvs. hvb. hvr.', 20, runOf.tokenic),
  ...key('s.', 24, runOf.plain, { max: 24 }),
  ...key('st.', 80, runOf.dotted),
  ...key('dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', 36, runOf.dotted),
  ...key('pscale_tkn_ pscale_pw_ pscale_oauth_', 30, runOf.dotted),
  ...key('napi_', 60, runOf.plain),
  ...key('AVNS_', 18, runOf.tokenic),
  ...key('mdb_sa_sk_', 36, runOf.tokenic),
  ...key('CCDB1_', 60, runOf.tokenic),
  ...key('essu_', 40, runOf.wide),
  ...key('dbtc_ dbtu_', 30, runOf.tokenic),
  ...key('pul-', 40, runOf.hex),
  ...key('sbp_', 40, runOf.hex),
  ...key('sb_secret_', 20, runOf.tokenic, cased),
  ...key('tskey-', 20, runOf.tokenic),
  ...key('akab-', 30, runOf.tokenic),
  ...key('AGE-SECRET-KEY-1', 50, runOf.plain, exact),
  ...key('aio_', 28, runOf.plain),
  ...key('PRT- pnu_ pnb_', 30, runOf.plain),
  ...key('sl.', 60, runOf.dotted),
  ...key('EAA', 80, runOf.plain),
  ...key('v1.0-', 140, runOf.tokenic),
  ...key('cfut_ cfat_ cfk_', 40, runOf.tokenic),
  ...key('sk.eyJ pk.eyJ tk.eyJ', 40, runOf.dotted, exact),
  // Clouds.
  ...key('AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA', 16, runOf.plain, {
    ...cloud,
    ...capitals,
    max: 16,
    mixed: false,
  }),
  ...key('IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz', 100, runOf.wide, { ...cloud, mixed: false }),
  ...key('ABSK', 100, runOf.wide, cloud),
  ...key('bedrock-api-key-', 60, runOf.wide, cloud),
  ...key('AIza', 35, runOf.tokenic, { ...cloud, mixed: false }),
  ...key('AQ.Ab', 40, runOf.tokenic, cloud),
  ...key('GOCSPX-', 24, runOf.tokenic, { ...cloud, mixed: false }),
  ...key('ya29.', 30, runOf.dotted, cloud),
  ...key('1//0', 40, runOf.tokenic, cloud),
  ...key('GOOG', 20, runOf.plain, { ...cloud, mixed: true, max: 61 }),
  ...key('dop_v1_ doo_v1_ dor_v1_', 60, runOf.hex, cloud),
  ...key('DO00 DO801', 15, runOf.plain, { ...cloud, ...capitals, max: 17, mixed: false }),
  ...key('dapi dose dkea', 32, runOf.hex, { ...cloud, max: 34 }),
  ...key('LTAI', 16, runOf.plain, { ...cloud, ...cased, max: 20 }),
  ...key('AKID', 32, runOf.plain, { ...cloud, max: 40 }),
  ...key('ALTAK AKLT', 20, runOf.plain, { ...cloud, max: 60 }),
  ...key('SCW', 17, runOf.plain, { ...cloud, ...capitals, max: 17 }),
  ...key('AQVN', 34, runOf.tokenic, { ...cloud, max: 40 }),
  ...key('YCAJE YCN YCP YCM YCO', 20, runOf.tokenic, { ...cloud, max: 40 }),
  ...key('t1.', 90, runOf.wideDotted, cloud),
  ...key('y0_ y0__', 40, runOf.tokenic, cloud),
]
