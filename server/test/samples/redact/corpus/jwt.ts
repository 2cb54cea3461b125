// JSON web tokens, signed, unsigned, encrypted and cut off, and other encoded or dotted texts.
import type { Corpus } from './corpus.ts'

export const corpus: Corpus = {
  kind: 'jwt',
  positives: [
    [
      'my value is {} ok',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNzk1NDUxMjYiLCAiaWF0IjogMTcwMDAwMDAwMH0.KORdjjZK8tfphJWAMMYNoXHyC6Ct3LBtKNdN9Vg8WnO',
    ],
    [
      'x={};',
      'eyJ' +
        'hbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiMjg0MTYxNjEzIiwgImlhdCI6IDE3MDAwMDAwMDF9.QfkplJekaACSMEscosTsS3DeRo7qYYOLQZ7mBhIoPj6',
    ],
    [
      '"{}"',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiODg3NTg4NDUxIiwgImlhdCI6IDE3MDAwMDAwMDJ9.jedkYtMV0K6sChDStSz8rGIFCfMc4BVuMqbfo9R13KL',
    ],
    [
      '({})',
      'eyJ' +
        'hbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiODIxMTU1MjA1IiwgImlhdCI6IDE3MDAwMDAwMDN9.R0rKcWWlEHPC6rlLBO0FfEwAvuQg2kvASFsQ8z0WJcD',
    ],
    [
      'see {}, please',
      'eyJ' +
        'hbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiMzM3NzEwMjI1IiwgImlhdCI6IDE3MDAwMDAwMDR9.quhXz3G0aQ3IDAdmHxNWFOCWdnrJi7sC4SFhbOMZpTk',
    ],
    [
      '\n{}\n',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNTkxNDU4ODg4IiwgImlhdCI6IDE3MDAwMDAwMDV9.aJAfo16hD8hP1jF7TsGTrA1EEpDJjym6MGV4i3erXY2',
    ],
    [
      '<{}>',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiMzY0OTM4MjU5IiwgImlhdCI6IDE3MDAwMDAwMDZ9.7YGr0asUt1LLQF3jCIEwvJWIyD7u3mSpKyo2XAcuVET',
    ],
    [
      'use: {}',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNDE0NTQ4OTAxIiwgImlhdCI6IDE3MDAwMDAwMDd9.QY0PjF9ciG9Lv3g32CgH6DaUjA3PjeEYqvNSzPf2v2R',
    ],
    [
      '{}',
      'eyJ' +
        'hbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNDA4MDMxOTgxIiwgImlhdCI6IDE3MDAwMDAwMDh9.9uOT4WF3IcNepOR6soVfBgWOT3gCkSt5bcuYdswxBjp',
    ],
    [
      'my value is {} ok',
      'eyJ' +
        'hbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNDQyNDM3MTkzIiwgImlhdCI6IDE3MDAwMDAwMDl9.KRYlklfN3yNRpF6LjoDOqDqQa5ZD5sRIkeC8wLtO9BS',
    ],
    [
      'x={};',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNDkwNTIzNzEzIiwgImlhdCI6IDE3MDAwMDAwMTB9.2tmy2EgpyKwKsSsb1QzraK3RXVd6MVF155sXZoMZwoO',
    ],
    [
      '"{}"',
      'eyJ' +
        'hbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNjY2Njc2ODE2IiwgImlhdCI6IDE3MDAwMDAwMTF9.qRWUXQR1iOg5OPctYCcLxUif6suVAlmiYI4xHG6r1kq',
    ],
    [
      '({})',
      'eyJ' +
        'hbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiODY1OTYwNDI4IiwgImlhdCI6IDE3MDAwMDAwMTJ9.sV3vZhD9ejW9o3RURz92ZJxfYzaqIhDxRVRqLy0O8xg',
    ],
    [
      'see {}, please',
      'eyJ' +
        'hbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiMjUxMDY0MzYwIiwgImlhdCI6IDE3MDAwMDAwMTN9.EbN48Ju6NoPeO0D6StPAhic8ctFhgp4IiyDxQ8VS8IA',
    ],
    [
      '\n{}\n',
      'eyJ' +
        'hbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNzk3MDA1MjgyIiwgImlhdCI6IDE3MDAwMDAwMTR9.Uj4APg1FNA88rcSxnCC8p2xgRxI5Pwdzrm9h820DfQn',
    ],
    [
      '<{}>',
      'eyJ' +
        'hbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiNjg2NjUwMjkyIiwgImlhdCI6IDE3MDAwMDAwMTV9.MbdYvpiYKne1WJnLn03ovXjY5Mar2jiIqZlhQ3biawY',
    ],
    ['{}.', 'eyJ' + 'hbGciOiAibm9uZSJ9.eyJzdWIiOiAiYm9iIn0'],
    ['{}', 'eyJ' + 'hbGciOiAibm9uZSJ9.eyJzdWIiOiAiYm9iIn0'],
    [
      '{}',
      'eyJ' +
        'hbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..BRgFT6Ce5fuMjeir.NOLJTuyMHsDGMBgYSh2PP4XJU3nBC4oAv0DzAUguBuQqx9jR7Eef1ffBgVVx.ZiJdL9JJvQhAw3Q8WB36Ud',
    ],
    [
      '{}',
      'eyJ' +
        'hbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.9sMtwgKGnjQEo2gw2JxhWrKoZB2JX0NNRPJbM7Q1SrblrSWt6vwal3jKQzejVObfVHnyADvkxtUuX8KM.f4djkWNdRfrCQBFM.CArnWGhwBhsRRLFHQtcozMdant8nXiWqsuhaFVBliyIToGJ1QZwez3VcBbD6.e3uKBKzTOAshzb9ukZ8ND1',
    ],
    [
      'token: "{}"',
      'eyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      'id_token={}&x=1',
      'eyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      '\\n{}\\n',
      'eyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      '{}',
      'eyJ' +
        'hbGciOiAiSFMyNTYi\u200bfQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      '{}',
      'eyJ' +
        'hbGciOiAiSFMyNTYifQ%2EeyJzdWIiOiAieDEifQ%2EYpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      'cookie: session={}; path=/',
      'eyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      "jwt='{}'",
      'eyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
    [
      '{}',
      'ｅyJ' + 'hbGciOiAiSFMyNTYifQ.eyJzdWIiOiAieDEifQ.YpLublqdiVAHhVeECXxGLgCGo8NcUY63QHtDP9bdE2z',
    ],
  ],
  negatives: [
    'eyJ',
    'eyJ' + 'hbGciOiJIUzI1NiJ9',
    'eyJ' + 'hIjoxLCJiIjoic29tZSB0ZXh0IGhlcmUifQ',
    'eyJa.b.c',
    'eyJ' + 'hbGciOi.short',
    'eyJ' + '0ZXN0IjoxfQ==',
    'hey' + '.Joe.there',
    'a.b.c',
    'www' + '.example.com',
    'foo' + '.bar.baz.qux',
    'key' + 'Jack.something.else',
    'eyJ' + 'hbGciOiJIUzI1NiJ9. Then more',
    'eyJ.eyJ.eyJ',
    'org' + '.apache.commons.lang3.StringUtils',
    'ZXlKaGJHY2k',
    'obj' + '.method.call',
    '1.2.3',
    'eyJ' + 'mb28iOiJiYXIifQ',
    'mon' + 'keyJungle.isAGreatPlaceToBe.really',
    'eyJ' + 'hbGci eyJzdWIi sig',
    'eyJ-._',
    'ver' + 'sion.major.minor',
  ],
}
