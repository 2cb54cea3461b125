// The national numbers that are all digits, told a second time: how each is written, which word speaks of it, and how its
// check digits come about, from what the countries publish. The tests make numbers from this and ask the table for them.

export type NationalNumber = {
  country: string
  /** A word that speaks of it. */
  word: string
  /** How it is written so that nothing else is, and how only where the word stands nearby. */
  sure: string[]
  doubtful: string[]
  /** What stands before the check digits: `#` for any digit, `DD`, `MM` and `YY` for a date. */
  body: string
  /** Null where a number with that beginning is never given; several where the century decides. */
  check: (body: string) => string | string[] | null
  /** How many digits that is, and where they stand when not at the end. */
  checkCount?: number
  checkAt?: number
  /** What is added to the months and days of some. */
  months?: number[]
  days?: number[]
  /** One that is this and no other; also published examples. */
  known: string[]
}

const digitsOf = (text: string): number[] => [...text].map(Number)

function sumOf(text: string, weights: string): number {
  const by = weights.split(' ').map(Number)
  return digitsOf(text).reduce((sum, digit, at) => sum + digit * by[at]!, 0)
}

/** What makes the sum, with its own weight of one, divisible; null for ten. */
function complement(sum: number, modulo: number): string | null {
  const check = (modulo - (sum % modulo)) % modulo
  return check > 9 ? null : String(check)
}

/** As `complement`, where ten and eleven are both written as 0. */
const elevenOrZero = (sum: number): string => complement(sum, 11) ?? '0'

function luhn(body: string): string {
  const doubled = digitsOf(body)
    .reverse()
    .map((digit, at) => (at % 2 === 0 ? [...String(digit * 2)] : [String(digit)]))
  return String((10 - (doubled.flat().reduce((sum, digit) => sum + Number(digit), 0) % 10)) % 10)
}

/** The tables as Verhoeff gave them. */
const verhoeffTurns =
  '0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258'.split(
    ' ',
  )
const verhoeffSums =
  '0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210'.split(
    ' ',
  )

function verhoeff(body: string): string {
  let check = 0
  for (const [at, digit] of digitsOf(body).reverse().entries()) {
    check = Number(verhoeffSums[check]![Number(verhoeffTurns[(at + 1) % 8]![digit])])
  }
  return String(verhoeffSums[check]!.indexOf('0'))
}

function mod1110(body: string): string {
  let product = 10
  for (const digit of digitsOf(body)) product = (((digit + product) % 10 || 10) * 2) % 11
  return String((11 - product) % 10)
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

function twoChecks(body: string, first: string, second: string): string {
  const one = elevenOrZero(sumOf(body, first))
  return one + elevenOrZero(sumOf(body + one, second))
}

export const nationalNumbers: NationalNumber[] = [
  {
    country: 'United States, SSN and ITIN',
    word: 'SSN',
    sure: ['3-2-4'],
    doubtful: ['9', '3 2 4', '3.2.4'],
    body: '1########',
    check: (body) => (body.slice(3, 5) === '00' || body.slice(5) === '0000' ? null : ''),
    checkCount: 0,
    known: ['219099999', '078051120'],
  },
  {
    country: 'Canada, SIN',
    word: 'social insurance',
    sure: ['3-3-3'],
    doubtful: ['3 3 3'],
    body: '9##0####',
    check: luhn,
    known: [],
  },
  {
    country: 'Canada, SIN of the samples that begin with 0',
    word: 'social insurance',
    sure: [],
    doubtful: ['3 3 3', '3-3-3'],
    body: '0#######',
    check: luhn,
    known: ['046454286'],
  },
  {
    country: 'Germany, tax number',
    word: 'Steuer-ID',
    sure: ['2 3 3 3'],
    doubtful: ['11'],
    body: '##########',
    check(body) {
      const often = [...'0123456789'].map((digit) => body.split(digit).length - 1)
      const more = often.filter((count) => count > 1)
      return body[0] === '0' || more.length !== 1 || more[0]! > 3 ? null : mod1110(body)
    },
    known: ['86095742719', '65929970489'],
  },
  {
    country: 'France, NIR',
    word: 'NIR',
    sure: ['15', '1 2 2 2 3 3 2', '13 2'],
    doubtful: ['1.2.2.2.3.3.2', '1-2-2-2-3-3-2'],
    body: '2##03########',
    check: (body) => twoDigits(97 - Number(BigInt(body) % 97n)),
    checkCount: 2,
    known: ['255081416802538', '295109912611193'],
  },
  {
    country: 'Netherlands, BSN',
    word: 'BSN',
    sure: ['4.2.3'],
    doubtful: ['9', '3 3 3', '4 2 3', '3.3.3'],
    body: '9##0####',
    check: (body) => String(sumOf(body, '9 8 7 6 5 4 3 2') % 11).replace('10', '') || null,
    known: ['111222333'],
  },
  {
    country: 'Belgium',
    word: 'registre national',
    sure: ['2.2.2-3.2'],
    doubtful: ['11', '6-3-2', '6 3 2', '2 2 2 3 2'],
    body: 'YYMMDD###',
    months: [20, 40],
    check: (body) => [body, `2${body}`].map((all) => twoDigits(97 - (Number(all) % 97))),
    checkCount: 2,
    known: ['93051822361', '85073003328', '00012556777', '98472899765'],
  },
  {
    country: 'Sweden, personal number',
    word: 'personnummer',
    sure: ['6-4'],
    doubtful: ['10', '6 4'],
    body: 'YYMMDD###',
    days: [60],
    check: luhn,
    known: ['8112289874', '6403273813'],
  },
  {
    country: 'Sweden, personal number with century',
    word: 'personnummer',
    sure: ['8-4'],
    doubtful: ['12', '8 4'],
    body: '19YYMMDD###',
    days: [60],
    check: (body) => luhn(body.slice(2)),
    known: ['198112289874'],
  },
  {
    country: 'Norway, birth number',
    word: 'fødselsnummer',
    sure: ['11', '6 5'],
    doubtful: ['6-5'],
    body: 'DDMMYY###',
    days: [40],
    months: [40],
    check(body) {
      const first = complement(sumOf(body, '3 7 6 1 8 9 4 5 2'), 11)
      const second = first && complement(sumOf(body + first, '5 4 3 2 7 6 5 4 3 2'), 11)
      return first && second && first + second
    },
    checkCount: 2,
    known: ['15108695088'],
  },
  {
    country: 'Denmark, CPR with the check digit of before 2007',
    word: 'CPR',
    sure: ['6-4'],
    doubtful: [],
    body: 'DDMMYY###',
    check: (body) => complement(sumOf(body, '4 3 2 7 6 5 4 3 2'), 11),
    known: ['2110625629'],
  },
  {
    country: 'Denmark, CPR',
    word: 'CPR',
    sure: [],
    doubtful: ['6-4', '10', '6 4'],
    body: 'DDMMYY####',
    check: () => '',
    checkCount: 0,
    known: [],
  },
  {
    country: 'Poland, PESEL',
    word: 'PESEL',
    sure: [],
    doubtful: ['11'],
    body: 'YYMMDD####',
    months: [20, 40, 60, 80],
    check: (body) => complement(sumOf(body, '1 3 7 9 1 3 7 9 1 3'), 10),
    known: ['44051401359', '02070803628'],
  },
  {
    country: 'Portugal, NIF',
    word: 'NIF',
    sure: [],
    doubtful: ['9', '3 3 3', '3.3.3'],
    body: '9##0####',
    check: (body) => elevenOrZero(sumOf(body, '9 8 7 6 5 4 3 2')),
    known: ['501964843'],
  },
  {
    country: 'Brazil, CPF',
    word: 'CPF',
    sure: ['3.3.3-2'],
    doubtful: ['11', '3 3 3 2', '3.3.3.2', '9-2'],
    body: '#########',
    check: (body) => twoChecks(body, '10 9 8 7 6 5 4 3 2', '11 10 9 8 7 6 5 4 3 2'),
    checkCount: 2,
    known: ['39053344705'],
  },
  {
    country: 'Brazil, CNPJ',
    word: 'CNPJ',
    sure: ['2.3.3/4-2'],
    doubtful: ['14', '8/4-2'],
    body: '############',
    check: (body) => twoChecks(body, '5 4 3 2 9 8 7 6 5 4 3 2', '6 5 4 3 2 9 8 7 6 5 4 3 2'),
    checkCount: 2,
    known: ['16727230000197', '11222333000181'],
  },
  {
    country: 'India, Aadhaar',
    word: 'Aadhaar',
    sure: ['4 4 4', '4-4-4'],
    doubtful: ['12'],
    body: '9##########',
    check: verhoeff,
    known: ['234123412346', '499118665246'],
  },
  {
    country: 'China, resident number',
    word: '身份证',
    sure: ['18', '6 8 4'],
    doubtful: ['6-8-4'],
    body: '1#####19YYMMDD###',
    check(body) {
      const rest = sumOf(body, '7 9 10 5 8 4 2 1 6 3 7 9 10 5 8 4 2') % 11
      return [...'10X98765432'][rest]!.replace('X', '') || null
    },
    known: ['360426199101010071'],
  },
  {
    country: 'South Korea, resident registration',
    word: 'RRN',
    sure: ['6-7'],
    doubtful: [],
    body: 'YYMMDD3######',
    check: () => '',
    checkCount: 0,
    known: [],
  },
  {
    country: 'South Korea, resident registration with check digit',
    word: 'RRN',
    sure: [],
    doubtful: ['13', '6 7'],
    body: 'YYMMDD######',
    check: (body) => String((11 - (sumOf(body, '2 3 4 5 6 7 8 9 2 3 4 5') % 11)) % 10),
    known: ['9710139019902'],
  },
  {
    country: 'Turkey',
    word: 'TCKN',
    sure: [],
    doubtful: ['11', '3 3 3 2', '3 3 2 3'],
    body: '9########',
    check(body) {
      const tenth = sumOf(body, '7 -1 7 -1 7 -1 7 -1 7')
      const one = String(((tenth % 10) + 10) % 10)
      return one + String(sumOf(body + one, '1 1 1 1 1 1 1 1 1 1') % 10)
    },
    checkCount: 2,
    known: ['17291716060', '10000000146'],
  },
  {
    country: 'South Africa',
    word: 'SA ID',
    sure: ['6 4 3', '6 4 2 1'],
    doubtful: ['13'],
    body: 'YYMMDD####08',
    check: luhn,
    known: ['8001015009087', '7503305044089'],
  },
  {
    country: 'Australia, tax file number',
    word: 'TFN',
    sure: [],
    doubtful: ['9', '3 3 3', '3-3-3'],
    body: '9##0####',
    // The check digit has a weight of ten, which is minus one.
    check: (body) => String(sumOf(body, '1 4 3 7 5 8 6 9') % 11).replace('10', '') || null,
    known: ['123456782', '876543210'],
  },
  {
    country: 'Switzerland, AHV',
    word: 'AHV',
    sure: ['3.4.4.2', '13', '3 4 4 2'],
    doubtful: [],
    body: '756#########',
    check: (body) => complement(sumOf(body, '1 3 1 3 1 3 1 3 1 3 1 3'), 10),
    known: ['7569217076985'],
  },
  {
    country: 'Austria, social insurance',
    word: 'SVNR',
    sure: [],
    doubtful: ['10', '4 6', '4-6'],
    body: '###DDMMYY',
    check: (body) => String(sumOf(body, '3 7 9 5 8 4 2 1 6') % 11).replace('10', '') || null,
    checkAt: 3,
    known: ['1237010180'],
  },
  {
    country: 'Czechia and Slovakia, birth number',
    word: 'rodné číslo',
    sure: ['6/4'],
    doubtful: ['10'],
    body: 'YYMMDD###',
    months: [20, 50, 70],
    check: (body) => complement(Number(body) * 10, 11),
    known: ['7103192745'],
  },
  {
    country: 'Romania, CNP',
    word: 'CNP',
    sure: [],
    doubtful: ['13'],
    body: '1YYMMDD#####',
    check: (body) => String(sumOf(body, '2 7 9 1 4 6 3 5 8 2 7 9') % 11).replace('10', '1'),
    known: ['1630615123457', '1800101221144'],
  },
  {
    country: 'Bulgaria, EGN',
    word: 'EGN',
    sure: [],
    doubtful: ['10'],
    body: 'YYMMDD###',
    months: [20, 40],
    check: (body) => String(sumOf(body, '2 4 8 5 10 9 7 3 6') % 11).replace('10', '0'),
    known: ['7523169263', '8032056031', '7501010010'],
  },
  {
    country: 'Japan, My Number',
    word: 'My Number',
    sure: [],
    doubtful: ['12', '4 4 4', '4-4-4'],
    body: '1##########',
    check: (body) => elevenOrZero(sumOf(body, '6 5 4 3 2 7 6 5 4 3 2')),
    known: ['123456789018'],
  },
  {
    country: 'Israel',
    word: 'teudat zehut',
    sure: [],
    doubtful: ['9', '8-1'],
    body: '8##00###',
    check: luhn,
    known: ['039337423'],
  },
  {
    country: 'Thailand',
    word: 'citizen ID',
    sure: ['1-4-5-2-1', '1 4 5 2 1'],
    doubtful: ['13'],
    body: '3###########',
    check: (body) => String((11 - (sumOf(body, '13 12 11 10 9 8 7 6 5 4 3 2') % 11)) % 10),
    known: ['1101700230708'],
  },
  {
    country: 'Malaysia',
    word: 'MyKad',
    sure: ['6-2-4'],
    doubtful: ['12'],
    body: 'YYMMDD14####',
    check: () => '',
    checkCount: 0,
    known: ['770305021234'],
  },
  {
    country: 'Chile, RUT that ends with a digit',
    word: 'RUT',
    sure: ['2.3.3-1'],
    doubtful: [],
    body: '########',
    check: (body) => complement(sumOf(body, '3 2 7 6 5 4 3 2'), 11),
    known: ['125319092', '76543216'],
  },
  {
    country: 'Argentina, CUIL',
    word: 'CUIL',
    sure: ['2-8-1'],
    doubtful: ['11'],
    body: '27########',
    check: (body) => complement(sumOf(body, '5 4 3 2 7 6 5 4 3 2'), 11),
    known: ['20055361682'],
  },
  {
    country: 'United Kingdom, NHS number',
    word: 'NHS',
    sure: [],
    doubtful: ['10', '3 3 4', '3-3-4'],
    body: '#########',
    check: (body) => complement(sumOf(body, '10 9 8 7 6 5 4 3 2'), 11),
    known: ['9434765919', '9876543210'],
  },
  {
    country: 'Russia, SNILS',
    word: 'personal number',
    sure: ['3-3-3 2'],
    doubtful: ['3-3-3-2'],
    body: '1#######2',
    check: (body) => twoDigits((sumOf(body, '9 8 7 6 5 4 3 2 1') % 101) % 100),
    checkCount: 2,
    known: ['11223344595', '08765430300'],
  },
  {
    country: 'Russia, INN of a person',
    word: 'taxpayer',
    sure: [],
    doubtful: ['12'],
    body: '7#########',
    check(body) {
      const first = String((sumOf(body, '7 2 4 10 3 5 9 4 6 8') % 11) % 10)
      return first + String((sumOf(body + first, '3 7 2 4 10 3 5 9 4 6 8') % 11) % 10)
    },
    checkCount: 2,
    known: ['500100732259', '526317984689'],
  },
  {
    country: 'Egypt',
    word: 'الرقم القومي',
    sure: [],
    doubtful: ['14'],
    body: '2YYMMDD12#####',
    check: () => '',
    checkCount: 0,
    known: ['29001011234567', '30105018801234'],
  },
  {
    country: 'Indonesia, NIK',
    word: 'NIK',
    sure: [],
    doubtful: ['16'],
    body: '31####DDMMYY####',
    days: [40],
    check: () => '',
    checkCount: 0,
    known: ['3174051201900001', '3174055201900001'],
  },
  {
    country: 'Pakistan, CNIC',
    word: 'CNIC',
    sure: ['5-7-1'],
    doubtful: [],
    body: '3############',
    check: () => '',
    checkCount: 0,
    known: ['4210112345671'],
  },
  {
    country: 'Philippines, SSS',
    word: 'SSS number',
    sure: [],
    doubtful: ['2-7-1'],
    body: '34########',
    check: () => '',
    checkCount: 0,
    known: ['0412345673'],
  },
]
