// All words that the scan looks for at the start of a word, each with what to do where it is found.
import { flagsOf, upper } from './characters.ts'
import { commands } from './command-flags.ts'
import { assignments, findAssigned } from './find-assigned-secret.ts'
import { findAccountKey, findSignature, findUrlSignature } from './find-cloud-key.ts'
import { findLogin, findOpening, readCommand } from './find-command-password.ts'
import { findCookies } from './find-cookie.ts'
import { findJwt } from './find-jwt.ts'
import { noteTextUrl, textUrlOpenings } from './find-data-url.ts'
import { findPrivateMember, privateMembers } from './find-jwk.ts'
import { findMachine } from './find-login-file.ts'
import { findSalesforceSession, findTerraformToken } from './find-marked-key.ts'
import { findPasswordHash, hashFormats } from './find-password-hash.ts'
import { encodedBeginnings, findEncodedKey, findPuttyKey } from './find-private-key.ts'
import { findIdentifiedBy, findIdentifiedWith } from './find-sql-password.ts'
import {
  findAuth,
  findAuthorization,
  findBasic,
  findBearer,
  findDigestResponse,
  findToken,
} from './find-token.ts'
import { about, type Findings } from './findings.ts'
import { contextWords } from './national-id/context-words.ts'
import { findNamedId } from './national-id/find-named-id.ts'
import { idNames } from './national-id/id-names.ts'
import { endsWord, type Page } from './page.ts'
import { tokenFormats } from './token-formats.ts'
import { WordTrie } from './word-trie.ts'

/** Values must stand at the start of a word; names may also begin at a capital inside one, as in `dbPassword`. */
type WordEntry = {
  isName: boolean
  /** How the last character must be written, where that matters: most words that only look alike differ there. */
  last?: number
  look(page: Page, start: number, end: number, found: Findings): void
}

const words = new WordTrie<WordEntry>()

for (const format of tokenFormats) {
  words.add(format.prefix, {
    isName: false,
    last: format.prefix.charCodeAt(format.prefix.length - 1),
    look: (page, start, end, found) => findToken(page, start, end, format, found),
  })
}
for (const assignment of assignments) {
  words.add(assignment.name, {
    isName: true,
    look: (page, start, end, found) => findAssigned(page, start, end, assignment, found),
  })
}
words.add('eyj', { isName: false, look: (page, start, _end, found) => findJwt(page, start, found) })
words.add('bearer', {
  isName: true,
  look: (page, _start, end, found) => findBearer(page, end, found),
})
words.add('authorization', {
  isName: true,
  look: (page, _start, end, found) => findAuthorization(page, end, found),
})
words.add('basic', {
  isName: true,
  look: (page, _start, end, found) => findBasic(page, end, found),
})
for (const name of ['auth"', "auth'", 'auth:', 'auth=', 'auth =']) {
  words.add(name, {
    isName: true,
    look: (page, _start, end, found) => findAuth(page, end - 1, found),
  })
}
for (const format of hashFormats) {
  words.add(format.opening, {
    isName: false,
    look: (page, start, end, found) => findPasswordHash(page, start, end, format, found),
  })
}
for (const [name, member] of privateMembers) {
  words.add(`${name}"`, {
    isName: false,
    look: (page, start, end, found) => findPrivateMember(page, start, end, member, found),
  })
}
for (const opening of textUrlOpenings) {
  words.add(opening, { isName: false, look: (page, _start, end) => noteTextUrl(page, end) })
}
words.add('private-lines', { isName: true, look: findPuttyKey })
for (const beginning of encodedBeginnings) {
  words.add(beginning, {
    isName: false,
    last: beginning.charCodeAt(beginning.length - 1),
    look: (page, start, _end, found) => findEncodedKey(page, start, beginning, found),
  })
}
words.add('sig=', {
  isName: true,
  look: (page, _start, end, found) => findSignature(page, end, found),
})
for (const name of ['x-amz-signature=', 'x-goog-signature=']) {
  words.add(name, {
    isName: true,
    look: (page, _start, end, found) => findUrlSignature(page, end, found),
  })
}
for (const name of ['cookie', 'cookies']) words.add(name, { isName: true, look: findCookies })
for (const [name, flags] of commands) {
  words.add(name, {
    isName: false,
    look: (page, start, end, found) => readCommand(page, start, end, flags, found),
  })
}
for (const opening of ['p:', 'pass:']) words.add(opening, { isName: false, look: findOpening })
words.add('identified by ', { isName: false, look: findIdentifiedBy })
words.add('identified with ', { isName: false, look: findIdentifiedWith })
words.add('machine ', {
  isName: false,
  look: (page, _start, end, found) => findMachine(page, end - 1, found),
})
words.add('atlasv1.', { isName: false, look: findTerraformToken })
words.add('00d', { isName: false, look: findSalesforceSession })
words.add('response="', {
  isName: false,
  look: (page, _start, end, found) => findDigestResponse(page, end, found),
})
words.add('jdbc:oracle:thin:', {
  isName: false,
  look: (page, _start, end, found) => findLogin(page, end, found),
})
for (const name of ['accountkey=', 'sharedaccesskey=', 'sharedaccesssignature=']) {
  words.add(name, {
    isName: true,
    look: (page, _start, end, found) => findAccountKey(page, end, found),
  })
}

for (const word of contextWords) addContext(word, about.nationalId)
for (const named of idNames) {
  for (const name of named.names) {
    words.add(name, {
      isName: true,
      look(page, start, end, found) {
        if (endsName(page, end)) findNamedId(page, start, end, named, found)
      },
    })
  }
}
// In small letters it is a word of several languages.
words.add('sin', {
  isName: false,
  look(page, start, end, found) {
    if (endsWord(page, end) && isCapital(page, start, end)) found.speakOf(about.nationalId)
  },
})
for (const word of ['aws', 'amazon', 's3', 'iam', 'akia', 'secret access key'])
  addContext(word, about.aws)
for (const word of ['azure', 'storage account', 'accountname']) addContext(word, about.azure)
addContext('twilio', about.twilio)
addContext('jdbc', about.jdbc)
addContext('digest', about.digest)

function addContext(word: string, topic: number): void {
  const isPrefix = word === 'akia'
  words.add(word, {
    isName: true,
    look(page, _start, end, found) {
      if (isPrefix || endsName(page, end)) found.speakOf(topic)
    },
  })
}

function isCapital(page: Page, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((flagsOf[page.codes[at]!]! & upper) === 0) return false
  return true
}

/** Words of other scripts have no borders that could be told. */
function endsName(page: Page, end: number): boolean {
  return page.codes[end - 1]! > 127 || endsWord(page, end) || page.codes[end]! < 91
}

/** Whether anything that is looked for begins like this, or is this with its last character written so. */
export function beginsWord(text: string): 'none' | 'part' | 'word' {
  const last = text.charCodeAt(text.length - 1)
  return words.find(text, (entry) => (entry.last ?? last) === last)
}

/** 1 for the characters that any of them begins with. */
export const mayBeginWord = new Uint8Array(0x10000)
for (let code = 0; code < 0x10000; code++) mayBeginWord[code] = words.step(0, code) === 0 ? 0 : 1

/** At the start of a word. */
export function lookForWords(page: Page, start: number, found: Findings): void {
  lookFrom(page, start, false, found)
}

/** Inside a word. */
export function lookForNames(page: Page, start: number, found: Findings): void {
  lookFrom(page, start, true, found)
}

function lookFrom(page: Page, start: number, namesOnly: boolean, found: Findings): void {
  const { codes, length } = page
  let at = start
  let node = 0
  while (at < length && (node = words.step(node, codes[at]!)) !== 0) {
    at++
    const entries = words.entriesAt(node)
    if (entries === null) continue
    for (const entry of entries) {
      if (entry.isName || (!namesOnly && (entry.last ?? codes[at - 1]) === codes[at - 1]))
        entry.look(page, start, at, found)
    }
  }
  page.steps += at - start + 1
}
