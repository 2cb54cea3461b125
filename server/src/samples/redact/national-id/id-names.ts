// Names that say what the number directly behind them is. For some countries that is all there is to tell it by, since their
// numbers have no check digit; and what is called a national number is one, however that country writes it.
import { type Digits, isDate, isDayMonthYear, passesLuhn, weighted } from './checks.ts'
import { isRussianInsured, isRussianTaxpayer } from './country-checks.ts'
import { type Letters, numberAt } from './letter-formats.ts'
import { weights } from './weights.ts'

export type IdName = {
  /** In small letters; a space stands for a space, `-` or `_`. */
  names: string[]
  /** How many letters and digits there are, and how many digits at least. */
  min: number
  max: number
  digitsMin: number
  fits?: (letters: Letters, count: number) => boolean
  /** The name is a word of sentences too, so `number`, `:` or something of that sort must follow. */
  needsSign?: boolean
  /** Words that, before the name, make something else of it. */
  exceptBehind?: ReadonlySet<string>
}

const names = (list: string): string[] => list.split('|')
/** A number of so many digits. */
const digits = (count: number): { min: number; max: number; digitsMin: number } => ({
  min: count,
  max: count,
  digitsMin: count,
})

const things = new Set(
  (
    'vehicle product part device equipment machine engine vessel aircraft trailer container batch lot model serial item ' +
    'asset order ticket case school bank employer company business corporate fahrzeug artikel produkt geräte gerate ust ' +
    'umsatzsteuer véhicule vehículo veículo veicolo'
  ).split(' '),
)

export const idNames: IdName[] = [
  {
    names: names(
      'national id|nationalid|national identity|national identification|identity card number|identity card no|' +
        'citizen identity number|citizenship number|national identifier|numéro national d’identité|' +
        "numéro d'identité|numero d'identite|numéro de carte d'identité|numero de identidad|número de identidad|" +
        'documento de identidad|documento nacional de identidad|documento de identidade|número de identidade|' +
        "número de cédula|carta d'identità|identiteitskaartnummer|identitetsnummer|kimlik numarası|kimlik numarasi|" +
        'numer dowodu|número de identificación personal|nomor induk kependudukan|nomor ktp|no ktp|' +
        '身份证|身份證|身分證|身分证|주민등록번호|マイナンバー|個人番号|תעודת זהות|الرقم القومي|رقم الهوية|' +
        'удостоверение личности|บัตรประชาชน|căn cước công dân|can cuoc cong dan',
    ),
    min: 7,
    max: 18,
    digitsMin: 6,
  },
  {
    names: names(
      'identification number|identity number|identifikationsnummer|número de identificación|numero de identificacion|' +
        "numéro d'identification",
    ),
    min: 7,
    max: 18,
    digitsMin: 6,
    exceptBehind: things,
  },
  {
    names: names(
      'passport number|passport no|passport nr|passport num|passport id|passportnumber|reisepassnummer|passnummer|' +
        'paspoortnummer|numéro de passeport|numero de passeport|número de pasaporte|numero de pasaporte|' +
        'número de passaporte|número do passaporte|numero di passaporto|numer paszportu|pasaport numarası|' +
        'номер паспорта|护照号|護照號|パスポート番号|旅券番号|여권번호|여권 번호',
    ),
    min: 6,
    max: 9,
    digitsMin: 5,
  },
  {
    names: names('passport|reisepass|passeport|pasaporte|passaporte|passaporto|护照|護照'),
    min: 6,
    max: 9,
    digitsMin: 5,
    needsSign: true,
  },
  // Indonesia.
  { names: names('nik|ktp'), ...digits(16) },
  // Pakistan.
  { names: names('cnic|nicop|snic'), ...digits(13) },
  // Vietnam, also the older number of nine digits.
  { names: names('cccd|căn cước|can cuoc|chứng minh nhân dân|chung minh nhan dan'), ...digits(12) },
  { names: names('cmnd|cmtnd'), ...digits(9) },
  // Nigeria.
  { names: names('nin'), ...digits(11) },
  // Philippines.
  { names: names('sss'), ...digits(10) },
  { names: names('philsys|philid|psn'), ...digits(12) },
  { names: names('philsys|philid'), ...digits(16) },
  // Russia: of social insurance, and of taxes.
  {
    names: names('snils|снилс'),
    ...digits(11),
    fits: ofDigits(isRussianInsured),
  },
  { names: names('inn|инн'), ...digits(12), fits: ofDigits(isRussianTaxpayer) },
  // Greece.
  {
    names: names('amka|αμκα'),
    ...digits(11),
    fits: ofDigits((digits) => isDayMonthYear(digits) && passesLuhn(digits, 11)),
  },
  // Hungary.
  {
    names: names('taj|taj szám|taj szam|tajszám|tajszam'),
    ...digits(9),
    fits: ofDigits((digits) => weighted(digits, weights.hungary) % 10 === digits[8]),
  },
  // Colombia and its neighbours.
  {
    names: names(
      'cédula|cedula|cédula de ciudadanía|cedula de ciudadania|cédula de identidad|cedula de identidad',
    ),
    min: 6,
    max: 11,
    digitsMin: 6,
  },
  // Argentina and Peru, and Spain with a letter that may be wrong.
  { names: names('dni'), min: 7, max: 9, digitsMin: 7 },
  // Mexico, of persons.
  { names: names('rfc'), min: 13, max: 13, digitsMin: 6, fits: hasMexicanForm },
  // Germany.
  {
    names: names('sozialversicherungsnummer|rentenversicherungsnummer|sv nummer|svnr|rvnr'),
    min: 12,
    max: 12,
    digitsMin: 11,
  },
  {
    names: names('personalausweisnummer|personalausweis|ausweisnummer|ausweisnr|personalausweisnr'),
    min: 9,
    max: 11,
    digitsMin: 5,
  },
]

/** For numbers without letters. */
function ofDigits(fits: (digits: Digits) => boolean): NonNullable<IdName['fits']> {
  return (letters, count) => fits(letters.slice(0, count).map((code) => code - 48))
}

/** Four letters and a birthday; what follows is often made up in samples, check digit and all. */
function hasMexicanForm(letters: Letters): boolean {
  for (let at = 0; at < 4; at++) if (letters[at]! < 65) return false
  for (let at = 4; at < 10; at++) if (letters[at]! > 57) return false
  return isDate(numberAt(letters, 6, 2), numberAt(letters, 8, 2))
}
