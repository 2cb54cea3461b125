// Passwords as they are kept: hashed, encoded as logins are, or as several plain words; and what looks like one.
import type { Corpus } from './corpus.ts'

const salt = 'Q9z' + 'K4mB7tA2v'
const hash22 = 'LQv3c1yq' + 'BWVHxkd0LHAkCO'
const hash43 = hash22 + 'Yz6TtxMQJ' + 'qhN8.LewdBPj'
const hash86 = hash43 + hash43
const login = (text: string): string => Buffer.from(text).toString('base64')

export const corpus: Corpus = {
  kind: 'key',
  positives: [
    ['{}', '$2b$12$' + hash43 + 'xR7kP2wQ9v'],
    ['the hash is {}.', '$2y$10$' + hash43 + 'xR7kP2wQ9v'],
    ["INSERT INTO users VALUES (1, 'bob', '{}');", '$2a$11$' + hash43 + 'xR7kP2wQ9v'],
    ['root:{}:19000:0:99999:7:::', `$6$${salt}$${hash86}`],
    ['{"hash":"{}"}', `$6$rounds=5000$${salt}$${hash86}`],
    ['bob:{}:1001:1001::/home/bob:/bin/sh', `$5$${salt}$${hash43}`],
    ['bob:{}', `$apr1$${salt.slice(0, 8)}$${hash22}`],
    ['enable secret 5 {}', `$1$${salt.slice(0, 4)}$${hash22}`],
    ['root:{}:19000:::::', `$y$j9T$${salt}$${hash43}`],
    ['"{}",', `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${hash43.replace('.', '/')}`],
    ['{}', `$argon2i$m=4096,t=3,p=1$${salt}$${hash43.replace('.', '/')}`],
    ['bob,{},2024', `pbkdf2_sha256$260000$${salt}$${hash43.replace('.', '/')}=`],
    ['{}', `$pbkdf2-sha256$29000$${salt}$${hash43}`],
    ['{}', `scrypt:32768:8:1$${salt}$` + '9f8e7d6c5b4a3928'.repeat(8)],
    ['{}', `pbkdf2:sha256:600000$${salt}$` + '9f8e7d6c5b4a3928'.repeat(4)],
    ['hash={} in the directory', '{SSHA}' + hash22 + 'Yz6TtxMQJq'],
    ['{"auths":{"https://index.docker.io/v1/":{"auth":"{}"}}}', login('bob:geheim')],
    ['  "auths": {\n    "ghcr.io": {\n      "auth": "{}"\n    }\n', login('bob:hunter2x9')],
    ['//registry.example.com/:_auth={}', login('bob:hunter2x9')],
    ['.dockerconfigjson: {}', login('{"auths":{"ghcr.io":{"auth":"Ym9iOngxeXoyMw=="}}}')],
    ['password = "{}"', 'correct horse battery ' + 'staple'],
    ["passphrase: '{}'", 'apple river stone cloud ' + 'moon'],
    ['{"user":"bob","db_password":"{}"}', 'velvet anchor turnip ' + 'galaxy'],
    ['setPassword("{}")', 'velvet anchor turnip ' + 'galaxy'],
  ],
  negatives: [
    'it costs $6$ and $1$ more',
    'echo "$1$2$3" $5$6',
    'bcrypt hashes begin with $2b$12$ and have 60 characters',
    '"$2b$12$..." stands for a hash',
    '$2b$12$' + 'x'.repeat(53),
    '$6$salt$hash',
    '$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>',
    'pbkdf2_sha256$<iterations>$<salt>$<hash>',
    '{SSHA}<hash>',
    'auth: required',
    'auth: "password"',
    '{"auth":"anonymous","authMethod":"basicauth"}',
    'auth = oauth2client',
    '{"auth":{"type":"bearer"}}',
    '{"password":"must have at least eight characters"}',
    'password: "passwords do not match"',
    'password = "wrong password try again"',
    "passphrase: 'enter passphrase for key'",
    '{"password":"New password for the account"}',
    'password: "eight characters minimum please"',
    'password: "three plain words"',
    'pass: "more than four plain words"',
    'explain password: rotation policy enforcement guidelines',
  ],
}
