// The words that say what stands beside them, each with something to say it of: names of secrets, words of context, names
// of cookies, programs with their flags, and the beginnings of hashes. A word that is lost from its table is missed here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

const key = '[redacted:key]'
/** As mixed as chance makes it. */
const mixed = 'hS7xQ2mK9pL4vR8wT3zBnE5cG6yJ0dF1'.repeat(4)

function becomes(text: string, expected: string): void {
  assert.equal(redactText(text).text, expected)
  assert.equal(redactText(expected).text, expected)
}

function stays(text: string): void {
  becomes(text, text)
}

/** `{}` is where the value was. */
function isTaken(text: string, value: string, marker = key): void {
  becomes(
    text.replace('{}', () => value),
    text.replace('{}', marker),
  )
}

test('words that speak of national numbers', () => {
  const words =
    'ssn|ssns|itin|social security|socialsecurity|social insurance|sin number|sin no|sin:|tax id|taxid|tax number|' +
    'tax identification|taxpayer|tax file|tfn|national id|nationalid|national insurance|national identity|' +
    'national identification|nino|nhs|identity number|identity card|identification number|id number|idnumber|id card|' +
    'personal number|personal code|citizen id|resident id|resident registration|steuer id|steuerid|' +
    'steuer identifikationsnummer|steueridentifikationsnummer|steuernummer|identifikationsnummer|idnr|' +
    'sozialversicherungsnummer|svnr|ahv|numero de securite sociale|numéro de sécurité sociale|securite sociale|' +
    'sécurité sociale|nir|insee|registre national|rijksregisternummer|numero national|numéro national|bsn|' +
    'burgerservicenummer|sofinummer|personnummer|samordningsnummer|fodselsnummer|fødselsnummer|cpr|personnr|hetu|' +
    'henkilotunnus|henkilötunnus|pesel|nif|contribuinte|dni|nie|codice fiscale|cpf|cnpj|cuil|cuit|curp|rut|aadhaar|' +
    'aadhar|uidai|pan card|pan number|pan no|rrn|jumin|tc kimlik|kimlik no|kimlik numarasi|kimlik numarası|tckn|' +
    'said number|sa id|pps|ppsn|rodne cislo|rodné číslo|rodne číslo|rodné cislo|cnp|egn|my number|mynumber|' +
    'teudat zehut|nric|hkid|mykad|vat number|身份证|身分證|주민등록번호|マイナンバー|個人番号|आधार|ת.ז|תעודת זהות|егн|' +
    'sss number|sss no|south african id|south africa id|rsa id|nomor induk kependudukan|' +
    'rentenversicherungsnummer|kad pengenalan|الرقم القومي|เลขประจำตัวประชาชน'
  for (const word of words.split('|')) {
    becomes(`the ${word} 536221234 is on file`, `the ${word} [redacted:national_id] is on file`)
    becomes(
      `the ${word.toUpperCase()} 536221234`,
      `the ${word.toUpperCase()} [redacted:national_id]`,
    )
  }
  for (const word of ['session', 'ssnx', 'order', 'nihon', 'rutabaga', 'Pesela', 'sin']) {
    stays(`the ${word} 536221234 is on file`)
  }
})

test('names of secrets, with a value of the least length that they promise', () => {
  const names: [string, number, string][] = [
    ['password passwd passwort passphrase passcode pwd kennwort contraseña senha', 6, 'key'],
    ['db_pass user_pass userpass dbpass rootpass pass mot_de_passe contrasena', 6, 'key'],
    ['wachtwoord hasło şifre lösenord passord salasana heslo jelszó adgangskode', 6, 'key'],
    ['пароль 密码 密碼 口令 パスワード 비밀번호', 6, 'key'],
    ['storepass keypass psk preshared_key presharedkey', 6, 'key'],
    ['pgpassword mysql_pwd sshpass rediscli_auth', 4, 'key'],
    ['secret client_secret clientsecret app_secret appsecret shared_secret', 10, 'key'],
    ['api_key apikey api_token apitoken api_secret apisecret auth_key authkey', 10, 'key'],
    ['app_key appkey application_key subscription_key license_key', 16, 'key'],
    ['secret_key secretkey signing_key encryption_key master_key webhook_secret', 10, 'key'],
    ['secret_key_base', 10, 'key'],
    ['access_key accesskey access_token accesstoken refresh_token refreshtoken', 12, 'key'],
    ['auth_token authtoken bot_token session_token id_token bearer_token csrf_token', 12, 'key'],
    ['private_token deploy_token personal_access_token webhook_token', 12, 'key'],
    ['identitytoken registrytoken', 12, 'key'],
    ['token session_id sessionid credential credentials', 20, 'key'],
    ['session phpsessid jsessionid connect.sid server_token dockerconfigjson', 20, 'key'],
    ['secretaccesskey', 16, 'cloud_key'],
    ['private_key_id account_key storage_key', 16, 'cloud_key'],
    ['private_key privatekey', 40, 'private_key'],
  ]
  for (const [list, min, kind] of names) {
    for (const name of list.split(' ')) {
      const marker = `[redacted:${kind}]`
      const spaced = name === 'bearer_token' ? name : name.replaceAll('_', ' ')
      for (const written of new Set([
        name,
        name.replaceAll('_', '-'),
        spaced,
        name.toUpperCase(),
      ])) {
        isTaken(`and then ${written}={} it is`, mixed.slice(0, min), marker)
        isTaken(`"${written}": "{}"`, mixed.slice(0, min), marker)
      }
      stays(`and then ${name}=${mixed.slice(0, min - 1)} it is`)
    }
  }
  isTaken('consumer_secret={}', mixed.slice(0, 16))
  isTaken('x_api_key={}', mixed.slice(0, 12))
  isTaken('session_secret={}', mixed.slice(0, 20))
  for (const name of ['aws_secret_access_key', 'secret_access_key', 'aws_session_token'])
    isTaken(`${name}={}`, mixed.slice(0, 16), '[redacted:cloud_key]')
})

test('what stands for a secret that is to be filled in stays', () => {
  for (const part of 'your example placeholder changeme change-me xxxx *** ... process.env getenv environ'.split(
    ' ',
  )) {
    stays(`password=1${part}9`)
    stays(`password=1${part.toUpperCase()}9`)
  }
  for (const value of ['$PASS123', '%PASS123', '{pass123', '<pass123', '[pass123']) {
    stays(`password=${value}`)
  }
})

test('types and ways of encoding are no secrets', () => {
  const words =
    'uint8array uint8clampedarray uint16array uint32array int8array int16array int32array float32array float64array ' +
    'bigint64array biguint64array uint16 uint32 uint64 float32 float64 decimal128 varchar2 nvarchar2 base32 base58 base64 ' +
    'base64url latin1 utf16le sha256 sha384 sha512 sha-256 sha-384 sha-512 sha3-256 argon2 argon2i argon2id pbkdf2 blake2b'
  for (const word of words.split(' ')) {
    stays(`password: ${word}`)
    stays(`password: ${word.toUpperCase()}`)
    isTaken('password: {}', `${word}9x`)
  }
})

test('names of cookies that keep somebody signed in', () => {
  const parts = 'sess sid auth token csrf xsrf jwt remember login identity credential ticket'
  for (const part of parts.split(' ')) {
    for (const name of [part, `x_${part}`, part.toUpperCase(), `${part}2`]) {
      isTaken(`Cookie: a=b; ${name}={}; c=d`, 'k3mQ9xW7')
      stays(`Cookie: a=b; ${name}=k3mQ9xW; c=d`)
    }
  }
  stays('Cookie: lang=k3mQ9xW7t2; theme=k3mQ9xW7t2')
  isTaken('Cookie: lang={}; c=d', mixed.slice(0, 20))
  stays(`Cookie: lang=${mixed.slice(0, 19)}; c=d`)
})

test('hashes of passwords, by how they begin', () => {
  const salted = 'hS7xQ2mK'
  for (const [openings, sign, length] of [
    ['2a$ 2b$ 2x$ 2y$', '$', 53],
    ['1$ apr1$', '$', 22],
    ['5$ 7$ y$ gy$', '$', 43],
    ['6$', '$', 86],
  ] as const) {
    for (const opening of openings.split(' ')) {
      isTaken('bob:{}:1', `${sign}${opening}${salted}$${mixed.slice(0, length)}`)
      stays(`bob:${sign}${opening}${salted}$${mixed.slice(0, length - 1)}:1`)
      stays(`bob:${sign}${opening}${salted}$${mixed.slice(0, length + 1)}:1`)
      stays(`bob:${opening}${salted}$${mixed.slice(0, length)}:1`)
    }
  }
  for (const [openings, sign, length, salt] of [
    ['argon2i$ argon2d$ argon2id$ scrypt$', '$', 20, `v=19$${salted}$`],
    ['pbkdf2$ pbkdf2-sha1$ pbkdf2-sha256$ pbkdf2-sha512$', '', 20, `1000$${salted}$`],
    ['pbkdf2:sha1: pbkdf2:sha256: pbkdf2:sha512: scrypt:', '', 40, `1000$${salted}$`],
    ['SSHA} SSHA256} SSHA512} SMD5}', '{', 24, ''],
  ] as const) {
    for (const opening of openings.split(' ')) {
      isTaken('kept as {} there', `${sign}${opening}${salt}${mixed.slice(0, length)}`)
      stays(`kept as ${sign}${opening}${salt}${mixed.slice(0, length - 1)} there`)
    }
  }
})

test('what clouds are called by, beside a secret that has no beginning', () => {
  const aws = 'lHT8ZFrpdulxz5VH9ix0ofDzsMrYbVhboIbMr2iW'
  const azure = `${mixed.slice(0, 86)}==`
  for (const word of ['aws', 'amazon', 's3', 'iam', 'akia', 'secret access key'])
    isTaken(`the ${word} one is {}`, aws, '[redacted:cloud_key]')
  for (const word of ['azure', 'storage account', 'accountname'])
    isTaken(`the ${word} one is {}`, azure, '[redacted:cloud_key]')
  isTaken('twilio says {}', '7f3b1c9e8d2a4b5c6d7e8f90a1b2c3d4')
  for (const value of [aws, azure, '7f3b1c9e8d2a4b5c6d7e8f90a1b2c3d4']) stays(`the one is ${value}`)
  stays(`aws ${aws.slice(1)}`)
  stays(`aws ${aws}x`)
  for (const name of ['AccountKey=', 'SharedAccessKey=', 'SharedAccessSignature=']) {
    isTaken(`x;${name}{};y`, mixed.slice(0, 32), '[redacted:cloud_key]')
    if (name !== 'SharedAccessKey=') stays(`x;${name}${mixed.slice(0, 31)};y`)
  }
  for (const name of ['X-Amz-Signature=', 'X-Goog-Signature=']) {
    isTaken(`?${name}{}&x`, '7f3b1c9e8d2a4b5c'.repeat(4), '[redacted:cloud_key]')
    stays(`?${name}${'7f3b1c9e8d2a4b5c'.repeat(4).slice(1)}&x`)
  }
  isTaken('?sig={}&x', `${mixed.slice(0, 42)}=`, '[redacted:cloud_key]')
  stays(`?sig=${mixed.slice(0, 41)}=&x`)
})

test('programs and the flags that passwords stand behind', () => {
  const words: [string, string[]][] = [
    [
      'curl',
      ['-u bob:{}', '-ubob:{}', '-U bob:{}', '--user bob:{}', '--proxy-user bob:{}', '-sSu bob:{}'],
    ],
    ['http https xh', ['-a bob:{}', '--auth bob:{}', '--auth=bob:{}']],
    ['mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mycli', ['-p{}']],
    ['7z 7za 7zz rar unrar', ['-p{}']],
    ['login', ['-p {}']],
    [
      'sshpass psexec mongo mongosh mongodump mongorestore mongoexport mongoimport',
      ['-p {}', '-p{}'],
    ],
    ['zip unzip', ['-P {}']],
    ['sqlcmd bcp osql isql tsql ipmitool mosquitto_pub mosquitto_sub', ['-P {}', '-P{}']],
    ['ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami', ['-w {}', '-w{}']],
    ['redis-cli', ['-a {}', '--pass {}']],
    ['smbclient rpcclient winexe', ['-U bob%{}']],
    ['lftp', ['-u bob,{}']],
    ['plink pscp psftp putty', ['-pw {}']],
    ['xfreerdp wfreerdp', ['/p:{}']],
    ['openssl', ['rsa -passin pass:{}']],
    ['sqlplus rman expdp impdp sqlldr', ['bob/{}@db']],
  ]
  for (const [programs, flags] of words) {
    for (const program of programs.split(' ')) {
      for (const flag of flags) {
        isTaken(`$ ${program} ${flag} x`, 'hunterTwo')
        isTaken(`$ ${program} -v ${flag} x`, 'hunterTwo')
        stays(`$ ssh ${flag.replace('{}', 'hunterTwo')} x`)
      }
    }
  }
  for (const program of 'ssh scp sftp rsync docker podman kubectl psql tar mkdir'.split(' ')) {
    stays(`curl x && ${program} -u bob:hunterTwo`)
  }
})

test('names that begin with a capital or are in capitals, in any script', () => {
  for (const name of 'Пароль ПАРОЛЬ Şifre ŞİFRE LÖSENORD Lösenord CONTRASEÑA HASŁO JELSZÓ'.split(
    ' ',
  )) {
    isTaken(`${name}: {}`, 'hunter2x9')
  }
  for (const [name, number] of [
    ['NUMÉRO DE SÉCURITÉ SOCIALE', '1.55.05.77.550.765.10'],
    ['RODNÉ ČÍSLO', '7103192745'],
    ['HENKILÖTUNNUS', '131052308T'],
    ['ЕГН', '7523169263'],
    ['Егн', '7523169263'],
    ['KİMLİK NUMARASI', '17291716060'],
  ] as const) {
    isTaken(`${name} {}`, number, '[redacted:national_id]')
  }
})
