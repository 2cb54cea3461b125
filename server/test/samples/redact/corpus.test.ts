// How much of what is sensitive is found, and how much else is taken for it, over the corpora of all kinds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markerOf } from '#server/samples/redact/kinds.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'
import type { Corpus } from './corpus/corpus.ts'
import { corpus as card } from './corpus/card.ts'
import { corpus as cloudKey } from './corpus/cloud-key.ts'
import { corpus as cloudToken } from './corpus/cloud-token.ts'
import { corpus as commandLine } from './corpus/command-line.ts'
import { corpus as connectionString } from './corpus/connection-string.ts'
import { corpus as cookie } from './corpus/cookie.ts'
import { corpus as email } from './corpus/email.ts'
import { corpus as ip } from './corpus/ip.ts'
import { corpus as jwk } from './corpus/jwk.ts'
import { corpus as jwt } from './corpus/jwt.ts'
import { corpus as key } from './corpus/key.ts'
import { corpus as loginFile } from './corpus/login-file.ts'
import { corpus as namedId } from './corpus/named-id.ts'
import { corpus as nationalId } from './corpus/national-id.ts'
import { corpus as privateKey } from './corpus/private-key.ts'
import { corpus as setByName } from './corpus/set-by-name.ts'
import { corpus as storedPassword } from './corpus/stored-password.ts'
import { corpus as vendorKey } from './corpus/vendor-key.ts'

const corpora: Record<string, Corpus> = {
  'email addresses': email,
  keys: key,
  'keys of further vendors': vendorKey,
  'keys and passwords set by name': setByName,
  'command lines': commandLine,
  cookies: cookie,
  'connection strings': connectionString,
  'files and statements with logins': loginFile,
  'passwords as they are kept': storedPassword,
  'cloud keys': cloudKey,
  'keys of further clouds': cloudToken,
  'web tokens': jwt,
  'private keys': privateKey,
  'JSON web keys': jwk,
  cards: card,
  'national numbers': nationalId,
  'numbers behind their names': namedId,
  'IP addresses': ip,
}

/** Look-alikes that are right in every way that can be told. A value that is missed or another that is taken is
 * a step back that the shares below would let pass. */
const takenAnyway = ['SIN number 153 123 451', 'SIN number 797 620 532', '010203-1234']

test('at least 98 of 100 values are found, and at least 98 of 100 finds are values', () => {
  let [positives, negatives, hits, falseFinds] = [0, 0, 0, 0]
  const allMissed: Corpus['positives'] = []
  const allTaken: Corpus['negatives'] = []
  for (const [name, { kind, positives: values, negatives: others }] of Object.entries(corpora)) {
    const missed = values.filter(([text, value]) => !isExact(kind, text, value))
    const taken = others.filter((text) => redactText(text).text !== text)
    allMissed.push(...missed)
    allTaken.push(...taken)
    positives += values.length
    negatives += others.length
    hits += values.length - missed.length
    falseFinds += taken.length
    console.log(
      `${name}: ${values.length - missed.length} of ${values.length} found, ${taken.length} of ${others.length} look-alikes taken`,
    )
    for (const [text, value] of missed) {
      console.log(
        '  missed',
        JSON.stringify([text, value]),
        JSON.stringify(redactText(text.replace('{}', () => value)).text),
      )
    }
    for (const text of taken)
      console.log('  taken', JSON.stringify(text), JSON.stringify(redactText(text).text))
  }
  const recall = hits / positives
  const precision = hits / (hits + falseFinds)
  console.log(
    `recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}, ${positives} values, ${negatives} look-alikes`,
  )
  assert.ok(positives >= 700 && negatives >= 600)
  assert.deepEqual(allMissed, [])
  assert.deepEqual(allTaken, takenAnyway)
  assert.ok(recall >= 0.98, `recall ${recall}`)
  assert.ok(precision >= 0.98, `precision ${precision}`)
})

/** Exactly the value is replaced, by a marker of its kind, and nothing around it. */
function isExact(kind: Corpus['kind'], text: string, value: string): boolean {
  return redactText(text.replace('{}', () => value)).text === text.replace('{}', markerOf(kind))
}
