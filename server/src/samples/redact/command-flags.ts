// Which words on a command line are passwords, by the program that is called.

/** What a value is: a password by itself, or behind the name of its user and a sign. */
export type FlagValue = 'password' | 'colon' | 'comma' | 'percent' | 'cookies'

export type CommandFlags = {
  /** Letters whose value follows, at once or behind a space, also as the last of several letters behind one dash. */
  letters: ReadonlyMap<number, FlagValue>
  /** A letter whose value must follow at once. */
  joined: number
  /** Whole flags with the value behind a space or `=`. */
  words: ReadonlyMap<string, FlagValue>
  /** Another beginning of a word that the password follows at once. */
  opening: string
  /** Whether a word like `name/password@place` is one too. */
  hasLogin: boolean
  /** Whether the name is a word that sentences have as well. */
  isWord: boolean
}

const none: CommandFlags = {
  letters: new Map(),
  joined: -1,
  words: new Map(),
  opening: '',
  hasLogin: false,
  isWord: false,
}

type Given = {
  letters?: Record<string, FlagValue>
  joined?: string
  words?: Record<string, FlagValue>
  opening?: string
  hasLogin?: boolean
  isWord?: boolean
}

function flags(
  names: string,
  { letters = {}, words = {}, joined, ...more }: Given,
): [string, CommandFlags][] {
  const given: CommandFlags = {
    ...none,
    ...more,
    letters: new Map(Object.entries(letters).map(([letter, what]) => [letter.charCodeAt(0), what])),
    words: new Map(Object.entries(words)),
    joined: joined?.charCodeAt(0) ?? none.joined,
  }
  return names.split(' ').map((name) => [name, given])
}

/** The names in small letters; `login` is what many programs call it. */
export const commands: ReadonlyMap<string, CommandFlags> = new Map([
  ...flags('curl', {
    letters: { u: 'colon', U: 'colon', b: 'cookies' },
    words: { '--user': 'colon', '--proxy-user': 'colon' },
  }),
  ...flags('http https xh', {
    letters: { a: 'colon' },
    words: { '--auth': 'colon' },
    isWord: true,
  }),
  ...flags('mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mycli', { joined: 'p' }),
  ...flags('7z 7za 7zz rar unrar', { joined: 'p' }),
  ...flags('login', { letters: { p: 'password' }, isWord: true }),
  ...flags('sshpass psexec mongo mongosh mongodump mongorestore mongoexport mongoimport', {
    letters: { p: 'password' },
  }),
  ...flags('zip unzip', { letters: { P: 'password' }, isWord: true }),
  ...flags('sqlcmd bcp osql isql tsql ipmitool mosquitto_pub mosquitto_sub', {
    letters: { P: 'password' },
  }),
  ...flags('ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami', {
    letters: { w: 'password' },
  }),
  ...flags('redis-cli', { letters: { a: 'password' }, words: { '--pass': 'password' } }),
  ...flags('smbclient rpcclient winexe', { letters: { U: 'percent' } }),
  ...flags('lftp', { letters: { u: 'comma' } }),
  ...flags('plink pscp psftp putty', { words: { '-pw': 'password' } }),
  ...flags('xfreerdp wfreerdp', { opening: '/p:' }),
  ...flags('openssl', { opening: 'pass:' }),
  ...flags('sqlplus rman expdp impdp sqlldr', { hasLogin: true }),
  // These have flags of the same letters that mean something else.
  ...flags('ssh scp sftp rsync docker podman kubectl psql tar mkdir', {}),
])
