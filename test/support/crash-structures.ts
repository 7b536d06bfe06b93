import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { TrashList } from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { call, type Svcd } from './svcd.ts'

/**
 * Several files that one request changes all together or not at all. The structure has two states, and each step leads
 * from one to the other. `find` reads only the disk and returns the state, or a description of what is torn.
 */
type Structure = {
  name: string
  make(): Promise<void>
  flip(from: 0 | 1): Promise<{ tool: string; path: string }>
  find(): Promise<0 | 1 | { torn: string }>
}

/** The daemon responded, but wrongly. Its death can never be the reason for this. */
export class Refused extends Error {}

type Driven = Structure & { state: 0 | 1; isUnderWay: boolean }

const TEXT = (title: string, links: string) => `# ${title}\n\n${links}\n\nend of ${title}\n`
const isWhole = (text: string) => /^# (\S+)\n\n[^\n]*\n\nend of \1\n$/.test(text)

/**
 * Moves of notes with links, renames of folders, and deletion and restoring of folders, on the vault `v` of a daemon.
 */
export function crashStructures(daemon: Svcd, { each }: { each: number }) {
  const request = async (path: string, options: Parameters<typeof call>[2]) => {
    const answer = await call(daemon, `/api/vaults/v${path}`, options)
    if (answer.status >= 300) throw new Refused(`${options?.method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const put = (path: string, content: string) =>
    request(`/notes/${path}`, { method: 'PUT', headers: { 'if-none-match': '*' }, json: { content } })
  const textAt = (path: string) => readFile(daemon.file('v', path), 'utf8').catch(() => undefined)
  const namesIn = async (path: string) =>
    (await readdir(daemon.file('v', path), { recursive: true, withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(daemon.file('v', path), posix.join(entry.parentPath, entry.name)))
      .toSorted()

  /** The problem of a note: it is torn, or one of its links is broken. */
  async function problemOf(path: string): Promise<string | undefined> {
    const text = await textAt(path)
    if (text === undefined || !isWhole(text)) return `${path} is torn: ${JSON.stringify(text)}`
    for (const [, target = ''] of text.matchAll(/\]\(([^)]*)\)/g)) {
      const at = posix.join(posix.dirname(path), target)
      if ((await textAt(at)) === undefined) return `${path} links to ${at}, which is not there`
    }
    return undefined
  }
  const firstProblem = async (paths: readonly string[]) => {
    for (const path of paths) {
      const torn = await problemOf(path)
      if (torn !== undefined) return { torn }
    }
    return undefined
  }

  function movedNote(folder: string): Structure {
    const places = [`${folder}/a/target.md`, `${folder}/b/renamed.md`] as const
    const move = (from: string, to: string) => request('/move', { method: 'POST', json: { from, to } })
    return {
      name: folder,
      async make() {
        await put(places[0], TEXT('Target', `see [the hub](../hub.md)`))
        await put(`${folder}/hub.md`, TEXT('Hub', `see [the target](a/target.md) and [again](a/target.md)`))
      },
      async flip(from) {
        await move(places[from], places[from === 0 ? 1 : 0])
        return { tool: 'move_note', path: places[from] }
      },
      async find() {
        const there = await Promise.all(places.map(textAt))
        if ((there[0] === undefined) === (there[1] === undefined))
          return { torn: `${folder}: both or none of ${places.join()}` }
        const state = there[0] === undefined ? 1 : 0
        return (await firstProblem([places[state], `${folder}/hub.md`])) ?? state
      },
    }
  }

  function renamedFolder(folder: string): Structure {
    const places = [`${folder}/x`, `${folder}/y`] as const
    const names = ['one.md', 'sub/three.md', 'two.md']
    return {
      name: folder,
      async make() {
        await put(`${folder}/x/one.md`, TEXT('One', 'see [two](two.md)'))
        await put(`${folder}/x/two.md`, TEXT('Two', 'see [the index](../index.md)'))
        await put(`${folder}/x/sub/three.md`, TEXT('Three', 'see [one](../one.md)'))
        await put(`${folder}/index.md`, TEXT('Index', 'see [one](x/one.md), [two](x/two.md), [three](x/sub/three.md)'))
      },
      async flip(from) {
        const [old, next] = [places[from], places[from === 0 ? 1 : 0]]
        await request('/move', { method: 'POST', json: { from: old, to: next } })
        return { tool: 'move_folder', path: old }
      },
      async find() {
        const [x, y] = await Promise.all(places.map(namesIn))
        const state = x!.length > 0 ? 0 : 1
        if ([x, y][state]!.join() !== names.join() || [y, x][state]!.length > 0)
          return { torn: `${folder}: ${x!.join()} and ${y!.join()}` }
        const paths = [`${folder}/index.md`, ...names.map((name) => `${places[state]}/${name}`)]
        return (await firstProblem(paths)) ?? state
      },
    }
  }

  function deletedFolder(folder: string): Structure {
    const path = `${folder}/box`
    const entries = async () =>
      TrashList.parse((await request('/trash', { method: 'GET' })).body).entries.filter((entry) => entry.path === path)
    return {
      name: folder,
      async make() {
        await put(`${path}/one.md`, TEXT('One', 'see [two](two.md)'))
        await put(`${path}/two.md`, TEXT('Two', 'see [one](one.md)'))
      },
      async flip(from) {
        if (from === 0) {
          await request(`/folders/${path}`, { method: 'DELETE' })
          return { tool: 'delete_folder', path }
        }
        const [entry] = await entries()
        await request(`/trash/${entry?.id}/restore`, { method: 'POST', json: {} })
        return { tool: 'restore', path }
      },
      async find() {
        const names = await namesIn(path)
        const inTrash = await entries()
        if (names.length === 0)
          return inTrash.length === 1 ? 1 : { torn: `${path}: gone, with ${inTrash.length} entries in the trash` }
        if (names.join() !== 'one.md,two.md' || inTrash.length > 0)
          return { torn: `${path}: ${names.join()} and ${inTrash.length} entries in the trash` }
        return (await firstProblem(names.map((name) => `${path}/${name}`))) ?? 0
      },
    }
  }

  const structures: Driven[] = Array.from({ length: each }, (_, number) => [
    movedNote(`m${number}`),
    renamedFolder(`f${number}`),
    deletedFolder(`t${number}`),
  ])
    .flat()
    .map((structure) => ({ ...structure, state: 0, isUnderWay: false }))

  return {
    async make(): Promise<void> {
      for (const structure of structures) await structure.make()
    },
    /** Changes a structure in a loop; `done` is called with each acknowledged change. */
    run: (isOver: () => boolean, done: (mutation: { tool: string; path: string }) => void): Promise<void>[] =>
      structures.map(async (structure) => {
        while (!isOver()) {
          structure.isUnderWay = true
          const mutation = await structure.flip(structure.state)
          structure.state = structure.state === 0 ? 1 : 0
          structure.isUnderWay = false
          done(mutation)
        }
      }),
    /** What is torn or lost. Also learns the outcome of what was in flight. */
    async problems(): Promise<string[]> {
      const found: string[] = []
      for (const structure of structures) {
        const state = await structure.find()
        if (typeof state === 'object') {
          found.push(state.torn)
          continue
        }
        if (state !== structure.state && !structure.isUnderWay)
          found.push(`${structure.name}: acknowledged state ${structure.state}, found ${state}`)
        structure.state = state
        structure.isUnderWay = false
      }
      return found
    },
  }
}
