// How the keys and tokens of vendors are written, told a second time: the kind, what the body is made of, how long it is,
// what it must look like, and the beginnings. A change of the table that the vendors did not make shows here.

export const tokenRows = `
key plain 40 mixed hone_ hsk_ CLOJARS_ ntn_ phx_
key tokenic 20 mixed sk- sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- pk-lf- gsk_ fw_ pplx- xai-
key tokenic 20 mixed nvapi- r8_ tgp_v1_ csk- llx- pcsk_ jina_ maker.ifttt.com/use/ hvs. hvb. hvr. tskey-
key plain 20 mixed sk_car_ e2b_ apify_api_ bb_live_ opk_ flp_ hl_sk_ sk_sbox_ pk_sbox_
key plain 30 any hf_ api_org_ ghp_ gho_ ghu_ ghs_ ghr_ npm_
key tokenic 30 mixed lsv2_pt_ lsv2_sk_ ovsxat_ CCIPAT_ CCIPRJ_ FLWSECK- FLWSECK_TEST- PMAK- figd_ figo_
key tokenic 30 mixed glsa_ HRKU- fo1_ dbtc_ dbtu_ akab-
key hex 32 mixed ls__ fc- pl_ shpat_ shpss_ shppa_ shpca_ shptka_ shpua_ shprka_ pk_
key hex 60 mixed key_ ATTA amzn1.oa2-cs.v1.
key plain 28 mixed tvly- tvly-dev- tvly-prod- aio_
key tokenic 43-43 mixed pa-
key plain 24 mixed esecret_
key plain 40 mixed,capitals rpa_
key tokenic 40 mixed wandb_v1_ pypi-AgE pypi-AgN pypi- sgp_ xkeysib- xsmtpsib- duffel_live_ duffel_test_
key tokenic 40 mixed CFPAT- cfut_ cfat_ cfk_
key plain 22-22 mixed ak- as-
key tokenic 22 mixed github_pat_
key tokenic 16 mixed,cased16 glpat- gldt- glrt- glrtr- glcbt- glptt- gloas- glsoat- glimt- glagent- glffct-
key tokenic 16 mixed,cased16 glft- glwt-
key tokenic 20 mixed,cased16 GR1348941 dckr_pat_ dckr_oat_ sq0atp- sq0csp- sq0idp- sq0idb- sqOatp-
key tokenic 20 mixed,cased16 sb_secret_
key hex 40 mixed rubygems_ sqp_ squ_ sqa_ bkua_ bkct_ bkaj_ shippo_live_ shippo_test_ pul- sbp_
key plain 32-32 mixed cio
key plain 43-43 mixed oy2
key tokenic 60 mixed packagist_ fio-u- CCDB1_
key wide 24 mixed ATATT3 ATCTT3
key tokenic 24 mixed ATBB vercel_blob_rw_ vcp_ vck_ vci_ vca_ vcr_
key wide 40 mixed BBDC- sec-c- sntrys_ sntryu_ essu_
key plain 60 mixed AKCp mlsn. os_v2_app_ os_v2_org_ rdme_ napi_
key plain 50 mixed cmVmdGtu EZAK EZTK hcaik_ hcxik_ hcalk_ hcxlk_
key wideDotted 40 mixed perm: perm-
key dotted 10 mixed xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xapp- xoxe- xoxe. xwfp-
key wideDotted 10 mixed xoxd-
key path 20 any hooks.slack.com/services/ hooks.slack.com/workflows/ discord.com/api/webhooks/
key path 20 any discordapp.com/api/webhooks/
key path 14 any hooks.slack.com/triggers/ hooks.zapier.com/hooks/catch/
key tokenic 80 mixed mfa.
key dotted 40 mixed SG. tfp_
key hex 32-32 mixed key- AC SK
key tokenic 33-33 mixed re_
key tokenic 100 mixed APA91b
key plain 100 mixed IGQV IGAA
key wide 60-140 mixed AAAAAAAAAAAAAAAAAAAAA
key wide 50-100 mixed dG9rO
key wideDotted 16 mixed WPL_AP1.
key plain 16 mixed,cased16 sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_
key wide 16 mixed,cased16 whsec_
key plain 16 mixed sk_
key tokenic 56 mixed EAAA EAAAE
key base64 80-260 mixed AQE
key dollars 40 mixed access_token$production$ access_token$sandbox$
key plain 30 mixed access$production$ alcht_ lin_api_ lin_oauth_ nfp_ nfc_ nfo_ nfu_ ddp_ ddw_ ddo_ PRT-
key plain 30 mixed pnu_ pnb_
key tokenic 36 uuid access-production- access-sandbox- access-development- amzn.mws. pat-na1- pat-na2-
key tokenic 36 uuid pat-eu1- pat-ap1- sdk- mob- api- xaat- xapt-
key plain 14 mixed,cased14 rzp_live_ rzp_test_
key plain 30-40 mixed live_ test_
key plain 40-60 mixed secret_
key wide 30 mixed secret-live- secret-test- glc_ fm1r_ fm1a_ fm2_
key plain 24 mixed,capitals PMAT-
key dotted 70-90 mixed pat
key tokenic 38 mixed,capitals pk_
key plain 26 mixed retool_
key wide 100 any ops_eyJ
key tokenic 30 mixed,capitals A3-
key base64 27-29 mixed private_
key wide 50-200 mixed eyJrIjoi
key wide 80-400 mixed eyJhIjoi
key plain 20 any NRAK- NRII- NRJS- NRAA-
key dotted 60 mixed dt0c01. dt0s01. dt0s02. dt0s08. dt0s16. sl.
key plain 26 mixed,cased16 rnd_
key plain 24-24 mixed s.
key dotted 80 mixed st.
key dotted 36 mixed dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
key dotted 30 mixed pscale_tkn_ pscale_pw_ pscale_oauth_
key tokenic 18 mixed AVNS_
key tokenic 36 mixed mdb_sa_sk_
key plain 50 any AGE-SECRET-KEY-1
key plain 80 mixed EAA
key tokenic 140 mixed v1.0-
key dotted 40 any sk.eyJ pk.eyJ tk.eyJ
cloud_key plain 16-16 capitals AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA
cloud_key wide 100 any IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz
cloud_key wide 100 mixed ABSK
cloud_key wide 60 mixed bedrock-api-key-
cloud_key tokenic 35 any AIza
cloud_key tokenic 40 mixed AQ.Ab 1//0 y0_ y0__
cloud_key tokenic 24 any GOCSPX-
cloud_key dotted 30 mixed ya29.
cloud_key plain 20-61 mixed GOOG
cloud_key hex 60 mixed dop_v1_ doo_v1_ dor_v1_
cloud_key plain 15-17 capitals DO00 DO801
cloud_key hex 32-34 mixed dapi dose dkea
cloud_key plain 16-20 mixed,cased16 LTAI
cloud_key plain 32-40 mixed AKID
cloud_key plain 20-60 mixed ALTAK AKLT
cloud_key plain 17-17 mixed,capitals SCW
cloud_key tokenic 34-40 mixed AQVN
cloud_key tokenic 20-40 mixed YCAJE YCN YCP YCM YCO
cloud_key wideDotted 90 mixed t1.
`
