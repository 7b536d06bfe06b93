import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DeletedNotes, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { liveClient } from '../support/live-client.ts'
import { startRelayedDaemon, type RelayedPerson } from '../support/relayed-daemon.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

type Api = (path: string, options?: Parameters<typeof call>[2]) => ReturnType<typeof call>

const vault = '/api/vaults/demo-vault'
const put = async (api: Api, path: string, content: string, match?: string) => {
  const headers: Record<string, string> = match === undefined ? {} : { 'if-match': match }
  const answer = await api(`${vault}/notes/${path}`, { method: 'PUT', json: { content }, headers })
  expect([200, 201]).toContain(answer.status)
  return answer.headers.get('etag') ?? ''
}
const remove = async (api: Api, path: string, query = '') =>
  (await api(`${vault}/notes/${path}${query}`, { method: 'DELETE' })).status
const history = async (api: Api, path: string, query = '') => {
  const answer = await api(`${vault}/history/${path}${query}`)
  return answer.status === 200 ? HistoryAnswer.parse(answer.body) : answer.status
}
const revisions = async (api: Api, path: string) => {
  const answer = await history(api, path)
  return typeof answer === 'number' ? [] : (answer.revisions ?? [])
}
const restore = (api: Api, path: string, rev: string | undefined, baseline?: string) =>
  api(`${vault}/history/${path}/restore`, { json: { rev, ...(baseline === undefined ? {} : { baseline }) } })
const trashId = async (api: Api, path: string) => {
  const { entries } = (await api(`${vault}/trash`)).body as { entries: { id: string; path: string }[] }
  return entries.find((entry) => entry.path === path)?.id ?? ''
}

describe('through the relay', () => {
  let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
  let admin: RelayedPerson
  let member: RelayedPerson
  beforeEach(async () => {
    daemon = await startRelayedDaemon()
    ;[admin, member] = [daemon.person('admin'), daemon.person('member')]
  })
  afterEach(() => daemon.close())

  test('a member brings back what they deleted themselves, and nothing that another person did', async () => {
    verifies('security.restore-own')
    await put(member.call, 'theirs.md', 'one\n')
    await put(member.call, 'own.md', 'two\n')
    const [rev] = await revisions(member.call, 'theirs.md')
    const [ownRev] = await revisions(member.call, 'own.md')
    expect(await remove(admin.call, 'theirs.md')).toBe(200)
    expect(await remove(member.call, 'own.md')).toBe(200)

    expect((await restore(member.call, 'theirs.md', rev?.rev)).status).toBe(403)
    const id = await trashId(member.call, 'theirs.md')
    expect((await member.call(`${vault}/trash/${id}/restore`, { json: {} })).status).toBe(403)
    expect((await member.call(`${vault}/notes/theirs.md`)).status).toBe(404)
    expect((await restore(member.call, 'own.md', ownRev?.rev)).status).toBe(201)

    // A new note at the same path does not give access to the old revision.
    const etag = await put(member.call, 'theirs.md', 'new\n')
    expect((await restore(member.call, 'theirs.md', rev?.rev, etag.slice(1, -1))).status).toBe(403)
    const [since] = await revisions(member.call, 'theirs.md')
    expect((await restore(member.call, 'theirs.md', since?.rev, etag.slice(1, -1))).status).toBe(200)
    expect((await restore(admin.call, 'theirs.md', rev?.rev, etag.slice(1, -1))).status).toBe(200)
  })

  test('a member brings back what an agent deleted for them, and nothing that it did for others', async () => {
    verifies('security.restore-own')
    const deleteFor = async (person: RelayedPerson, path: string) => {
      const { body } = await member.call(`${vault}/notes/${path}`)
      const { baseline } = (body as { note: { baseline: string } }).note
      const args = { vaultId: 'demo-vault', path, baseline, permanent: false }
      const caller = { sub: person.id, name: 'Somebody', role: person.role }
      expect((await daemon.agentCall({ tool: 'delete_note', arguments: args }, caller)).status).toBe(200)
    }
    const restoreTrashed = async (path: string) =>
      (await member.call(`${vault}/trash/${await trashId(member.call, path)}/restore`, { json: {} })).status
    const revs = new Map<string, string | undefined>()
    for (const path of ['own.md', 'own-history.md', 'theirs.md', 'local.md']) {
      await put(member.call, path, `text of ${path}\n`)
      revs.set(path, (await revisions(member.call, path))[0]?.rev)
    }
    await deleteFor(member, 'own.md')
    await deleteFor(member, 'own-history.md')
    await deleteFor(admin, 'theirs.md')
    expect(await remove(daemon.local, 'local.md')).toBe(200)

    expect(await restoreTrashed('own.md')).toBe(200)
    expect((await restore(member.call, 'own-history.md', revs.get('own-history.md'))).status).toBe(201)
    for (const path of ['theirs.md', 'local.md']) {
      expect(await restoreTrashed(path)).toBe(403)
      expect((await restore(member.call, path, revs.get(path))).status).toBe(403)
    }
  })

  test('a member does not bring back at its old path what another person deleted at its new one', async () => {
    verifies('security.restore-own')
    await put(member.call, 'before.md', 'one\n')
    const [rev] = await revisions(member.call, 'before.md')
    const move = { from: 'before.md', to: 'after.md' }
    expect((await member.call(`${vault}/move`, { json: move })).status).toBe(200)
    expect(await remove(admin.call, 'after.md')).toBe(200)
    expect((await restore(member.call, 'before.md', rev?.rev)).status).toBe(403)
    expect((await restore(admin.call, 'before.md', rev?.rev)).status).toBe(201)
  })

  test('what was deleted for good has no revisions any more, for anybody', async () => {
    verifies('security.purged-history', 'security.member-rights')
    await put(member.call, 'secret.md', 'secret one\n')
    const etag = await put(member.call, 'other.md', 'other\n')
    const [old] = await revisions(member.call, 'secret.md')
    const [before] = await revisions(member.call, 'other.md')
    expect(await remove(member.call, 'secret.md', '?permanent=true')).toBe(403)
    expect(await remove(admin.call, 'secret.md', '?permanent=true')).toBe(200)

    const git = (...args: string[]) =>
      execFileSync('git', [`--git-dir=${join(daemon.home, 'daemon/history/demo-vault.git')}`, ...args], {
        encoding: 'utf8',
      }).trim()
    for (const api of [member.call, admin.call, daemon.local]) {
      expect(await revisions(api, 'secret.md')).toEqual([])
      for (const rev of [old?.rev, git('rev-parse', `${old?.rev}^{tree}`), git('rev-parse', `${old?.rev}:secret.md`)]) {
        expect(await history(api, 'secret.md', `?rev=${rev}`)).toBe(404)
        expect(await history(api, 'secret.md', `?from=${rev}&to=${git('rev-parse', 'main')}`)).toBe(404)
        expect((await restore(api, 'secret.md', rev)).status).toBe(404)
      }
    }

    await put(member.call, 'secret.md', 'harmless\n')
    expect(await revisions(member.call, 'secret.md')).toHaveLength(1)
    expect(await history(member.call, 'secret.md', `?rev=${old?.rev}`)).toBe(404)
    expect((await revisions(member.call, 'other.md')).map(({ rev }) => rev)).toEqual([before?.rev])
    expect((await restore(member.call, 'other.md', before?.rev, etag.slice(1, -1))).status).toBe(200)
  })

  test('a trash entry that is removed for good takes its own revisions along, and no later ones', async () => {
    verifies('security.purged-history')
    await put(member.call, 'twice.md', 'first life\n')
    expect(await revisions(member.call, 'twice.md')).toHaveLength(1)
    await remove(member.call, 'twice.md')
    await put(member.call, 'twice.md', 'second life\n')
    expect(await revisions(member.call, 'twice.md')).toHaveLength(3)
    const id = await trashId(admin.call, 'twice.md')
    expect((await member.call(`${vault}/trash/${id}`, { method: 'DELETE' })).status).toBe(403)
    expect((await admin.call(`${vault}/trash/${id}`, { method: 'DELETE' })).status).toBe(200)
    const left = await revisions(member.call, 'twice.md')
    expect(left).toHaveLength(1)
    expect(await history(member.call, 'twice.md', `?rev=${left[0]?.rev}`)).toMatchObject({ content: 'second life\n' })
  })

  test('notes that only the history has are listed with who deleted them, and come back from there', async () => {
    verifies('history.deleted', 'security.purged-history', 'security.restore-own')
    const deleted = async (api: Api, query = '') => DeletedNotes.parse((await api(`${vault}/deleted${query}`)).body)
    const pathsOf = async (api: Api) => (await deleted(api)).notes.map(({ path }) => path)
    for (const path of ['outside.md', 'trashed.md', 'folder/deep.md', 'moved.md', 'secret.md', 'kept.md'])
      await put(member.call, path, `text of ${path}\n`)
    expect(await revisions(member.call, 'outside.md')).toHaveLength(1)

    await rm(join(daemon.home, 'vaults/demo-vault/outside.md'))
    await until('the deletion is in the history', async () => (await pathsOf(member.call)).includes('outside.md'))
    expect(await remove(member.call, 'trashed.md')).toBe(200)
    expect((await member.call(`${vault}/folders/folder`, { method: 'DELETE' })).status).toBe(200)
    expect(await remove(admin.call, 'secret.md', '?permanent=true')).toBe(200)
    await member.call(`${vault}/move`, { json: { from: 'moved.md', to: 'elsewhere.md' } })
    expect(await pathsOf(member.call)).toEqual(['outside.md'])

    // Somebody empties the trash by hand.
    for (const path of ['trashed.md', 'folder'])
      await rm(join(daemon.home, 'vaults/demo-vault/.svc/trash', await trashId(admin.call, path)), { recursive: true })
    for (const api of [member.call, admin.call, daemon.local])
      expect(await pathsOf(api)).toEqual(['folder/deep.md', 'trashed.md', 'outside.md'])
    const { notes } = await deleted(member.call)
    expect(notes.map(({ deletedBy }) => deletedBy)).toMatchObject([
      { kind: 'person', id: member.id },
      { kind: 'person', id: member.id },
      { kind: 'outside' },
    ])
    for (const { deletedAt } of notes) expect(Date.parse(deletedAt)).toBeGreaterThan(Date.now() - 3_600_000)

    const first = await deleted(member.call, '?limit=2')
    expect(first.notes.map(({ path }) => path)).toEqual(['folder/deep.md', 'trashed.md'])
    const second = await deleted(member.call, `?limit=2&cursor=${first.nextCursor}`)
    expect([second.notes.map(({ path }) => path), second.nextCursor]).toEqual([['outside.md'], undefined])

    const revOf = (path: string) => notes.find((note) => note.path === path)?.rev
    expect((await restore(member.call, 'outside.md', revOf('outside.md'))).status).toBe(403)
    expect((await restore(admin.call, 'outside.md', revOf('outside.md'))).status).toBe(201)
    expect((await restore(member.call, 'folder/deep.md', revOf('folder/deep.md'))).status).toBe(201)
    const { body } = await member.call(`${vault}/notes/folder/deep.md`)
    expect(body).toMatchObject({ note: { content: 'text of folder/deep.md\n' } })
    expect(await pathsOf(member.call)).toEqual(['trashed.md'])
  })

  test('a note that was restored at another path is deleted for good under its old path too', async () => {
    verifies('security.purged-history', 'history.renames')
    const restoreAt = async (path: string, to: string) => {
      const id = await trashId(member.call, path)
      expect((await member.call(`${vault}/trash/${id}/restore`, { json: { path: to } })).status).toBe(200)
    }
    const textsOf = async (api: Api, path: string) => {
      const texts: unknown[] = []
      for (const { rev, path: then } of await revisions(api, path))
        texts.push([then, ((await history(api, path, `?rev=${rev}`)) as { content?: string }).content])
      return texts
    }
    await put(member.call, 'old.md', 'the secret\n')
    await put(member.call, 'folder/old.md', 'the other secret\n')
    const [old] = await revisions(member.call, 'old.md')
    const [oldInFolder] = await revisions(member.call, 'folder/old.md')
    expect(await remove(member.call, 'old.md')).toBe(200)
    expect((await member.call(`${vault}/folders/folder`, { method: 'DELETE' })).status).toBe(200)
    await put(member.call, 'old.md', 'another note\n')
    await restoreAt('old.md', 'new.md')
    await restoreAt('folder', 'other')
    // Neither note is deleted: it is in the vault, at its other path.
    expect((await member.call(`${vault}/deleted`)).body).toMatchObject({ notes: [] })
    expect(await textsOf(member.call, 'new.md')).toEqual([
      ['new.md', 'the secret\n'],
      ['old.md', 'the secret\n'],
    ])
    expect((await textsOf(member.call, 'other/old.md')).at(-1)).toEqual(['folder/old.md', 'the other secret\n'])

    for (const path of ['new.md', 'other/old.md']) expect(await remove(admin.call, path, '?permanent=true')).toBe(200)
    for (const api of [member.call, admin.call, daemon.local]) {
      expect(await textsOf(api, 'old.md')).toEqual([['old.md', 'another note\n']])
      expect(await revisions(api, 'folder/old.md')).toEqual([])
      for (const path of ['old.md', 'new.md']) expect(await history(api, path, `?rev=${old?.rev}`)).toBe(404)
      for (const path of ['folder/old.md', 'other/old.md'])
        expect(await history(api, path, `?rev=${oldInFolder?.rev}`)).toBe(404)
      expect((await api(`${vault}/deleted`)).body).toMatchObject({ notes: [] })
    }
  })

  test('an edit on the baseline of a deleted text says nothing of that text', async () => {
    verifies('security.purged-history')
    const etag = await put(admin.call, 'plan.md', 'the old secret\n')
    await admin.call(`${vault}/notes/plan.md`)
    await remove(admin.call, 'plan.md', '?permanent=true')
    await put(member.call, 'plan.md', 'new\n')
    const edits = [{ oldText: 'the old', newText: 'a' }]
    const answer = await member.call(`${vault}/notes/plan.md`, {
      method: 'PATCH',
      json: { baseline: etag.slice(1, -1), edits },
    })
    expect(answer.status).toBe(409)
    expect(answer.text).not.toContain('secret')
  })
})

test('what was deleted for good stays so when the daemon is killed before the history is written', async () => {
  verifies('security.purged-history')
  const daemon = await startSvcd()
  try {
    const api: Api = (path, options) => call(daemon, path, options)
    await put(api, 'gone.md', 'the first text\n')
    const [old] = await revisions(api, 'gone.md')
    await remove(api, 'gone.md', '?permanent=true')
    await daemon.kill()
    await daemon.restart()
    await until('everything is indexed', async () => (await api('/api/ready')).status === 200)
    expect(await history(api, 'gone.md', `?rev=${old?.rev}`)).toBe(404)
    await put(api, 'gone.md', 'two\n')
    expect(await history(api, 'gone.md', `?rev=${old?.rev}`)).toBe(404)
    await until('the new note has a revision', async () =>
      (await revisions(api, 'gone.md')).some(({ message }) => message.startsWith('Edit')),
    )
    for (const { rev } of await revisions(api, 'gone.md'))
      expect(JSON.stringify(await history(api, 'gone.md', `?rev=${rev}`))).not.toContain('first text')
  } finally {
    await daemon.remove()
  }
})

test('what somebody types in a note while it is deleted for good is kept nowhere, not by a kill either', async () => {
  verifies('security.purged-history', 'live.deletion-told')
  const daemon = await startSvcd()
  const api: Api = (path, options) => call(daemon, path, options)
  const deleteWhileTyping = async (path: string) => {
    await put(api, path, 'secret\n')
    const ada = liveClient({ url: () => daemon.url, path })
    await ada.reaches('durable', 'saved')
    const typing = setInterval(() => ada.type('more\n'), 5)
    try {
      await ada.shows((text) => text.includes('more'))
      expect(await remove(api, path, '?permanent=true')).toBe(200)
      return ada
    } finally {
      clearInterval(typing)
    }
  }
  const expectNothing = async () => {
    expect((await api(`${vault}/trash`)).body).toMatchObject({ entries: [] })
    for (const path of ['told.md', 'killed.md']) expect((await api(`${vault}/notes/${path}`)).status).toBe(404)
  }
  try {
    const told = await deleteWhileTyping('told.md')
    await told.reaches('gone', 'refused')
    await expectNothing()
    expect(told.current().save).toMatchObject({ state: 'gone', rescued: false, who: { kind: 'local' } })
    told.close()

    const killed = await deleteWhileTyping('killed.md')
    await daemon.kill()
    killed.close()
    await daemon.restart()
    await until('everything is indexed', async () => (await api('/api/ready')).status === 200)
    await expectNothing()
  } finally {
    await daemon.remove()
  }
})
