// Keys and tokens of further clouds, and what looks like one. All are random.
import type { Corpus } from './corpus.ts'

export const corpus: Corpus = {
  kind: 'cloud_key',
  positives: [
    [
      '{}',
      'IQo' +
        'Jb3JpZ2luX2VjwjTA3VTqDToZJFyaFS2TVn2UdeZxUhVCsba9LKCCuH3Kf5j6vreT8NwUrA9oCvxLmKwTgnx5enfRYzcy14m6ncDCpFfB+5DB7R0kXFRY6mHCD+j8QJeG1DmzW8vn7CPzPg9eDs10k7FuDhmWlVapLtH5+noWWw9DRyXSDIzkcVL49kWj3eUx',
    ],
    [
      'use: {}',
      'Fwo' +
        'GZXIvYXdzQ6OjyuzJ4MTzzLiWHh8UDGRouIic1gmrZVFJl9ym9BXwKwXczEbC2TMdHUFzXHuGqrCEMDHqFb53fAlZwuepaxa1yED5waChhuebN/ZYf5GnAKGISU/cvjqbBCzQHGVVGGQhOP2Z6Onax0812Rp3DByORL0cynlNVvGraXIomRuOhmJPUbHK',
    ],
    [
      'my value is {} ok',
      'ABS' +
        'KJhkuQt9a4uEya0vH52UCFCmI1AmEUv+VSZxMthubwh7/ZUUGHS1mRdAPq2b5VZSXq/acUhHnWfVrVg4LuVYnqZXy7jIn8aeiWZVzNx+0RCV7FiAHO5FStxLRkX49ApuRHF=',
    ],
    [
      'x={};',
      'bed' +
        'rock-api-key-cl3H9fgvYHSw8EiplIFOSle3QSqqIgbykyF07h0Fw6nMO7ncTCWy4fDeemDw3mmAKvXlAAqw8w2wrdluy9wmatq4wl',
    ],
    ['"{}"', 'AQ.' + 'Ab8MbOSPZuKLyW1gKn9sTsQU8l11h2wYvG5Y7m4zkP3U-SJ_5P1HQ'],
    ['({})', '1//' + '0FrFT4Bybb9NCD_g2evLe5KPwq-GzXSp-tttuvjFNfP74zyYi-M0KHhsYe44W'],
    ['see {}, please', 'DO0' + '0KPZWX9K4OJAZGEGS'],
    ['\n{}\n', 'ALT' + 'AKL3vv87MZ9xOVPxZYkOVag'],
    ['<{}>', 'AKL' + 'TUGkuMzC3xBKdQ3K0yFUQYgrFTRTfBejIILRn8J5ZeDl'],
    ['it is {}.', 'AKI' + 'Dsdvpo5aEJhHxd3TxZpmbSroN2eamGrnO'],
    ['{}', 'SCW' + 'RMVPV82SMIZ69T6Q6'],
    ['use: {}', 'AQV' + 'NgmwjfZw6Uj42DazX-ICFjqVqOAHQ7CvzS_Vo'],
    ['my value is {} ok', 'YCA' + 'JEXKx9fC3y5dgFxRTHE93m'],
    ['x={};', 'YCN' + 'UVwRO29vVPbO0l50wDK0sA1o-q34qndCazUgq'],
    [
      '"{}"',
      't1.' +
        'eQ8axhDVTxMQu7SqpWaBlBEj7nPSem7wiuUzavRmhn760FRaGlo3ClZmKWtP9JKhkjFZQVjkEU16pBB3pOj12pTBBe.eS8vBHstMaPMVXL53c9CJ3cu0eWpfXrgdauVNMCSdLVvSbVyZnRjr4DSOzS7rss1A3KVC3JXu4aP6AIUeVWpfB',
    ],
    ['({})', 'y0_' + 'AgAAAA7GOAzJyXDldWDXmOuv95yTav6m6_wu1189JHbRkdSJpal2dATi'],
    [
      'see {}, please',
      'dor' + '_v1_a3a29ba3c5e0fca5735a73d701902fcf203f4f43937a7ef85f99ec986aa0fef1',
    ],
    ['\n{}\n', 'doo' + '_v1_a6d9678cbd0e19c9826590917a92cb85f31d5a308469a450583545c577c18dcf'],
    ['<{}>', 'ACC' + 'ADURR6UU01EHXGNHX'],
    ['it is {}.', 'ABI' + 'A93CDVN30IFASAVXL'],
    ['{}', 'GOO' + 'G1EEDJRRSC1F75I42SPJWOZ9JH3Q41WI5O2A8VVFZWUTTPLSLUE1JED79IAP'],
    ['use: {}', 'dke' + 'ac191f3038858c33195949a4b9bddde4d'],
  ],
  negatives: [
    'IQoJ',
    'Fwo' + 'GZXIvYXdz',
    'ABSK',
    'bed' + 'rock-api-key-',
    'AQ.Ab',
    'DO00',
    'DO00REMI',
    'ALTAK',
    'AKLT',
    'SCW',
    'SCWINDOW',
    'AQVN',
    'YCAJE',
    't1.micro',
    't1.' + 'medium.of.the.second.kind',
    'y0_',
    'dor_v1_',
    'ABIATHAR',
    'accessKeyId',
    '1//0',
    'IQo' + 'Jb3JpZ2lu is how they begin',
    'AKIDS',
    'GOO' + 'G is the ticker',
  ],
}
