import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Note } from '../api/daemon-client.ts'
import { Refusal } from '../api/refusal.ts'
import { storedDrafts } from './drafts.ts'
import { noteSession } from './note-session.ts'
import { noteSessions } from './note-sessions.ts'

const ref = { vaultId: 'demo', path: 'a.md' }

/** A daemon of one note whose baselines are counted, and a browser's storage. */
function world(content = 'one\n') {
  let file: { content: string; baseline: string } | undefined = { content, baseline: 'b1' }
  let writes = 1
  let gate = Promise.resolve()
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage

  const write = (next: string) => {
    file = { content: next, baseline: `b${++writes}` }
    return file.baseline
  }
  const note = (): Note => {
    if (!file) throw new Refusal({ code: 'not_found', message: '' })
    return { ...file, path: ref.path, properties: {} }
  }
  const client = {
    readNote: async () => {
      const read = note()
      await gate
      return read
    },
    replaceNote: async (_: typeof ref, next: string, baseline: string) => {
      if (file?.baseline !== baseline) throw new Refusal({ code: 'stale_doc', message: '' })
      return write(next)
    },
    createNote: async (_: typeof ref, next: string) => {
      if (file) throw new Refusal({ code: 'note_exists', message: '' })
      return write(next)
    },
  }
  const drafts = storedDrafts({ storage, now: () => new Date(0), owner: 'usr_a' })
  return {
    client,
    drafts,
    note,
    write,
    kept,
    remove: () => (file = undefined),
    file: () => file?.content,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    open: () => noteSession({ client, drafts, ref, note: note() }),
  }
}

const type = (text: string) => ({ event: 'typed', text }) as const
const settle = () => vi.advanceTimersByTimeAsync(1200)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a note session', () => {
  it('saves after a pause and forgets the draft', async () => {
    const here = world()
    const session = here.open()
    session.tell(type('one two\n'))
    expect(here.kept.size).toBe(1)
    await settle()
    expect(here.file()).toBe('one two\n')
    expect(session.current().saving.state).toBe('saved')
    expect(here.kept.size).toBe(0)
  })

  it('keeps both texts of a conflict and saves the one that is chosen', async () => {
    const here = world()
    const session = here.open()
    session.tell(type('mine\n'))
    here.write('theirs\n')
    await settle()
    expect(session.current().saving.state).toBe('conflict')
    expect(here.file()).toBe('theirs\n')
    session.tell({ event: 'keep-mine' })
    await settle()
    expect(here.file()).toBe('mine\n')
  })

  it('can bring back what gave way to theirs', async () => {
    const here = world()
    const session = here.open()
    session.tell(type('mine\n'))
    here.write('theirs\n')
    await settle()
    session.takeTheirs()
    expect(session.current().saving.text).toBe('theirs\n')
    session.bringBack()
    expect(session.current().saving).toMatchObject({ state: 'conflict', text: 'mine\n' })
  })

  it('shows what was changed elsewhere', async () => {
    const here = world()
    const session = here.open()
    here.write('elsewhere\n')
    await session.recheck()
    expect(session.current().saving).toMatchObject({ state: 'saved', text: 'elsewhere\n' })
  })

  it('drops an answer that was overtaken by a save', async () => {
    const here = world()
    const session = here.open()
    const release = here.hold()
    const looking = session.recheck()
    session.tell(type('newer\n'))
    await settle()
    release()
    await looking
    expect(session.current().saving).toMatchObject({ state: 'saved', text: 'newer\n' })
    expect(here.file()).toBe('newer\n')
  })

  it('keeps the text of a note that was deleted elsewhere', async () => {
    const here = world()
    const session = here.open()
    here.remove()
    await session.recheck()
    expect(session.current().saving).toMatchObject({ state: 'gone', text: 'one\n' })
    session.tell(type('one more\n'))
    session.tell({ event: 'keep-mine' })
    await settle()
    expect(here.file()).toBe('one more\n')
  })
})

describe('unsent text', () => {
  it('waits for a decision after a reload, and typing does not replace it', async () => {
    const here = world()
    here.open().tell(type('unsent\n'))
    const again = here.open()
    expect(again.current().kept?.text).toBe('unsent\n')
    again.tell(type('something else\n'))
    expect(again.current().saving.text).toBe('one\n')
    again.restoreKept()
    await settle()
    expect(here.file()).toBe('unsent\n')
  })

  it('is not offered when it reached the file after all', () => {
    const here = world()
    here.drafts.keep(ref, { text: 'one\n', base: { content: '', baseline: 'b0' } })
    expect(here.open().current().kept).toBeUndefined()
    expect(here.kept.size).toBe(0)
  })

  it('belongs to one person', () => {
    const here = world()
    here.drafts.keep(ref, { text: 'mine', base: { content: '', baseline: 'b0' } })
    const storage = { getItem: (key: string) => here.kept.get(key) ?? null } as Storage
    expect(storedDrafts({ storage, now: () => new Date(0), owner: 'usr_b' }).find(ref)).toBeUndefined()
  })
})

describe('the sessions of a vault', () => {
  it('hold on to a note that is left before it is saved', async () => {
    const here = world()
    const client = here.client as unknown as Parameters<typeof noteSessions>[0]['client']
    const sessions = noteSessions({ client, drafts: here.drafts })
    const session = sessions.open(ref, here.note())
    sessions.enter(session)
    session.tell(type('left\n'))
    expect(sessions.unsaved()).toEqual(['a.md'])
    sessions.leave(session)
    expect(sessions.find('a.md')).toBe(session)
    await settle()
    expect(here.file()).toBe('left\n')
    expect(sessions.find('a.md')).toBeUndefined()
    expect(sessions.unsaved()).toEqual([])
  })
})
