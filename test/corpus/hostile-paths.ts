/**
 * A path that a request, an archive or an agent may name. `never`: no surface may accept it. `hidden`: the same, but an
 * archive may leave it out silently. `existing`: it may name a file that is there, and none is made of that name.
 * `legal`: it is strange and stays inside the vault, so it may be accepted.
 */
export type HostilePath = { what: string; path: string; verdict: 'never' | 'hidden' | 'existing' | 'legal' }

const code = (point: number) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const all = (verdict: HostilePath['verdict'], what: string, paths: readonly string[]): HostilePath[] =>
  paths.map((path) => ({ what: `${what} ${JSON.stringify(path.slice(0, 60))}`, path, verdict }))

const traversal = [
  ...[1, 2, 3, 4, 6, 12].map((depth) => `${'../'.repeat(depth)}canary/secret.md`),
  ...[1, 2, 3, 4].map((depth) => `a/${'../'.repeat(depth)}other/secret.md`),
  '..',
  '.',
  '../',
  './',
  './x.md',
  'a/./x.md',
  'a/../x.md',
  'x.md/..',
  'x.md/.',
  '/..',
  '../..',
  '/',
  '//',
  '/x.md',
  '//x.md',
  '///etc/passwd',
  '/etc/passwd',
  '/proc/self/environ',
  'a//x.md',
  'a/',
  'x.md/',
  'a/b/../../../canary/secret.md',
  'README.md/../../canary/secret.md',
  '',
  'a///b.md',
  '/dev/null',
]
const encoded = [
  '%2e%2e/canary/secret.md',
  '%2e%2e%2fcanary%2fsecret.md',
  '..%2fcanary/secret.md',
  '%2E%2E/x.md',
  'a/%2e%2e/%2e%2e/canary/secret.md',
  '..%5ccanary%5csecret.md',
  '%5c%5cserver/x.md',
  'x.md%00.png',
  '%00',
  'a%2Fb.md',
]
const otherEncodings = ['..%c0%af../canary/secret.md', '..%252fcanary/secret.md']
const lookalikes = [
  '．．／canary／secret.md',
  '‥／x.md',
  '…',
  '∕etc∕passwd.md',
  '⁄etc⁄passwd.md',
  '%c0%ae%c0%ae∕x.md',
  '%u002e%u002e∕x.md',
  '~',
  '~root.md',
  '$HOME.md',
  '${IFS}.md',
  '`id`.md',
  '$(id).md',
  '-rf.md',
  '--help.md',
  '*.md',
  '?.md',
  '|x.md',
  '<x>.md',
  '"x".md',
  "'x'.md",
  'x;y.md',
  'constructor.md',
  '__proto__.md',
  'toString',
  'hasOwnProperty/x.md',
  '𝒳.md',
  '👩‍👩‍👧.md'.replaceAll('\u200d', ''),
  'ﬁle.md',
  'ß.md',
  'İ.md',
  'ı.md',
  'ſ.md',
]
const separators = [
  '..\\canary\\secret.md',
  'a\\b.md',
  '\\etc\\passwd',
  '\\\\server\\share\\x.md',
  'C:\\x.md',
  'a/..\\..\\x.md',
  '\\',
]
const streams = ['C:/x.md', 'c:x.md', 'x.md:stream', 'x.md::$DATA', ':x.md', 'a:b/x.md']
const hidden = [
  '.svc',
  '.svc/vault.json',
  '.svc/move.json',
  '.svc/folders.yml',
  '.svc/trash',
  '.svc/trash/x/content',
  '.svc/tmp/x.md',
  '.SVC/vault.json',
  '.git',
  '.git/config',
  '.git/hooks/post-commit',
  '.GIT/config',
  'a/.git/config',
  '.obsidian/app.json',
  '.hidden.md',
  'a/.b/c.md',
  '...',
  '.../x.md',
  '..md',
  '.md',
  '.ssh/authorized_keys',
  'a/..b.md',
]
const reserved = [
  'con',
  'PRN',
  'aux.md',
  'NUL.txt',
  'nul',
  ...range(0, 9).map((digit) => `com${digit}.md`),
  ...range(0, 9).map((digit) => `LPT${digit}`),
  'com¹',
  'LPT².md',
  'com³.tar.gz',
  'a/con/x.md',
  'CON.',
]
const edges = ['x.md.', 'x.md ', ' x.md', 'a /x.md', 'a./x.md', ' /x.md', 'a/ x.md', 'x. .md ', ' ']
const invisible = [...range(0x200b, 0x200f), ...range(0x2028, 0x202e), ...range(0x2060, 0x2069), 0xfeff]
const surrogates = ['\ud800.md', 'a\udfff.md', '\udc00\ud800.md', 'a/\ud83d/x.md']
const control = [...range(0, 0x1f), ...range(0x7f, 0x9f)]
const long = [
  'x'.repeat(256),
  `${'x'.repeat(300)}.md`,
  `${'漢'.repeat(86)}.md`,
  `${'é'.repeat(128)}.md`,
  `${'a/'.repeat(2048)}x.md`,
  'y'.repeat(5000),
  `${'👩'.repeat(64)}.md`,
]

/** Every hostile path; the files that are traps on the disk are in `test/support/hostile-vault.ts`. */
export const hostilePaths: readonly HostilePath[] = [
  ...all('never', 'traversal', traversal),
  ...all('never', 'encoded', encoded),
  ...all('never', 'separator', separators),
  ...all('never', 'too long', long),
  ...all('never', 'surrogate', surrogates),
  ...control.map((point) => ({
    what: `control ${code(point)}`,
    path: `a${String.fromCodePoint(point)}b.md`,
    verdict: 'never' as const,
  })),
  ...all('hidden', 'hidden', hidden),
  ...all('existing', 'reserved', reserved),
  ...all('existing', 'stream', streams),
  ...all('existing', 'edge', edges),
  ...invisible.map((point) => ({
    what: `invisible ${code(point)}`,
    path: `a${String.fromCodePoint(point)}b.md`,
    verdict: 'existing' as const,
  })),
  ...all('legal', 'lookalike', lookalikes),
  ...all('never', 'other encoding', otherEncodings),
]
