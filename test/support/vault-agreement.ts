import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import type { z } from 'zod'
import { LinkReport, NoteLinks } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { Note, SearchResult, Tree, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { runCommand } from '../../daemon/src/cli/run-command.ts'
import { readConfig } from '../../daemon/src/config.ts'
import { call, type Svcd } from './svcd.ts'
import { until } from './until.ts'

type Disk = Map<string, Buffer>

const url = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** Every visible file of a vault, read only through the file system. */
async function readFiles(root: string): Promise<Disk> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((name) => name.startsWith('.') || name.endsWith('~')))
  return new Map(
    await Promise.all(paths.toSorted().map(async (path) => [path, await readFile(join(root, path))] as const)),
  )
}

/**
 * The differences between the disk of the vault `v` and the daemon's tree, notes, index, links and history. The disk is
 * read by code that is independent of the daemon. Waits until the vault is read and delayed commits are made.
 */
export async function disagreements(daemon: Svcd): Promise<string[]> {
  const vault = '/api/vaults/v'
  await until('the vault is read', async () => (await call(daemon, '/api/ready')).status === 200)
  const disk = await readFiles(daemon.file('v', ''))
  const notes = [...disk]
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, bytes]) => [path, bytes.toString()] as const)
  const found: string[] = []

  const files = (nodes: TreeNode[]): string[] =>
    nodes.flatMap((node) => (node.kind === 'folder' ? files(node.children) : [node.path]))
  const known = files(Tree.parse((await call(daemon, `${vault}/tree`)).body).tree).toSorted()
  if (known.join() !== [...disk.keys()].join())
    found.push(`the tree knows ${known.join()}, the disk has ${[...disk.keys()].join()}`)

  for (const [path, text] of notes) {
    const answer = await call(daemon, `${vault}/notes/${url(path)}`)
    if (answer.status !== 200 || Note.parse(answer.body).note.content !== text) found.push(`${path} is read otherwise`)
    // The tokens of the load are unique words: a search must find exactly the notes that contain the word.
    const [word] = /^[0-9a-f]{16}/.exec(text) ?? []
    if (word === undefined) continue
    const holders = notes.flatMap(([other, words]) => (words.includes(word) ? [other] : [])).join()
    const finds = (await searchWhole(daemon, word))
      .map((hit) => hit.path)
      .toSorted()
      .join()
    if (finds !== holders) found.push(`${word} of ${path} is found in ${finds}, and stands in ${holders}`)
  }

  const linksOf = (path: string, text: string) =>
    [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => posix.join(posix.dirname(path), target))
  const report = async () => LinkReport.parse((await call(daemon, `${vault}/report`)).body)
  await until('the links are read', async () => !(await report()).partial)
  const { counts } = await report()
  const broken = notes.flatMap(([path, text]) => linksOf(path, text).filter((target) => !disk.has(target)))
  if (counts.broken !== broken.length) found.push(`${counts.broken} broken links, and by the disk ${broken.join()}`)
  for (const [path] of notes) {
    const sources = notes
      .filter(([other, text]) => other !== path && linksOf(other, text).includes(path))
      .map(([other]) => other)
    if (sources.length === 0) continue
    const { backlinks } = NoteLinks.parse((await call(daemon, `${vault}/links/${url(path)}`)).body)
    const told = [...new Set(backlinks.map((one) => one.path))].toSorted().join()
    if (told !== sources.join()) found.push(`${path} has backlinks ${told}, and by the disk ${sources.join()}`)
  }

  const wanted = new Map(notes.map(([path, text]) => [path, blobOf(Buffer.from(text))]))
  let differing: string[] = []
  await until(
    'the history has every note',
    async () => {
      await call(daemon, `${vault}/history/any.md`)
      const committed = await committedBlobs(join(daemon.home, 'daemon/history/v.git'))
      differing = [...new Set([...wanted.keys(), ...committed.keys()])].filter(
        (path) => wanted.get(path) !== committed.get(path),
      )
      return differing.length === 0
    },
    { everyMs: 250 },
  ).catch(() => found.push(`the history differs in ${differing.join()}`))
  return found
}

/**
 * The hits of a complete search. On a busy machine a search may run out of time, so it is repeated until it is
 * complete.
 */
async function searchWhole(daemon: Svcd, word: string): Promise<z.infer<typeof SearchResult>['hits']> {
  let result: z.infer<typeof SearchResult> | undefined
  await until(`a search for ${word} is whole`, async () => {
    result = SearchResult.parse((await call(daemon, `/api/vaults/v/search?q=${word}`)).body)
    return !result.partial
  })
  return result!.hits
}

const blobOf = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

async function committedBlobs(gitDir: string): Promise<Map<string, string>> {
  const args = [`--git-dir=${gitDir}`, 'ls-tree', '-r', '-z', 'refs/heads/main']
  const { stdout } = await promisify(execFile)('git', args).catch(() => ({ stdout: '' }))
  const lines = stdout.split('\0').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? '']))
}

/** The report of `svcd doctor` on the vault `v`: its problems, and its comparison of history and disk. */
export async function doctorSays(daemon: Svcd): Promise<{ problems: string[]; history: string }> {
  let stdout = ''
  const config = () => readConfig({ SVC_HOME: daemon.home, PATH: process.env.PATH })
  await runCommand({
    name: 'doctor',
    args: ['v', '--json'],
    config,
    out: (text) => void (stdout += text),
    error: () => {},
  })
  const [report] = (
    JSON.parse(stdout) as { vaults: { problems: { path: string; problem: string }[]; history: string }[] }
  ).vaults
  return { problems: report!.problems.map(({ path, problem }) => `${path} ${problem}`), history: report!.history }
}
