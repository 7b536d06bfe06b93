import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { WRITTEN_WITHIN_MS } from '../../daemon/src/watch/emptied-notes.ts'
import { verifies } from '../requirements.ts'
import { liveClient, type LiveClient } from '../support/live-client.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { writeSlowly } from '../support/write-slowly.ts'

let daemon: Svcd
const clients: LiveClient[] = []

beforeAll(async () => {
  daemon = await startSvcd({ env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
})
afterAll(async () => {
  for (const client of clients) client.close()
  await daemon.remove()
})

const note = async (path: string, text: string) => {
  const file = daemon.file('demo-vault', path)
  await mkdir(dirname(file), { recursive: true })
  const created = await call(daemon, `/api/vaults/demo-vault/notes/${path}`, {
    method: 'PUT',
    headers: { 'if-none-match': '*', 'content-type': 'text/markdown' },
    body: text,
  })
  expect(created.status).toBe(201)
  return file
}
/**
 * Writes a file as another program. False if the daemon has saved the words by then, which that program takes out, and
 * if the file may have been empty for so long that the daemon takes it for an empty note.
 */
const writeUnlessSaved = ({ file, text, saved }: { file: string; text: string; saved: string }): boolean => {
  if (readFileSync(file, 'utf8').includes(saved)) return false
  const begun = performance.now()
  writeFileSync(file, text)
  return performance.now() - begun < WRITTEN_WITHIN_MS
}
const open = async (path: string) => {
  const client = liveClient({ url: () => daemon.url, path })
  clients.push(client)
  await client.reaches('durable', 'saved')
  return client
}
const read = (path: string) =>
  call<{ note: { content: string; baseline: string } }>(daemon, `/api/vaults/demo-vault/notes/${path}`)

describe('a live session', () => {
  it('shows everybody what everybody types, and writes it to the note file', async () => {
    verifies('live.one-authority', 'live.save-state')
    const file = await note('two.md', '# Two\n')
    const [ada, bob] = [await open('two.md'), await open('two.md')]
    ada.type('from ada\n')
    bob.type('from bob\n', 0)
    await Promise.all([ada, bob].map((client) => client.shows((text) => text.includes('ada') && text.includes('bob'))))
    expect(ada.shown()).toBe(bob.shown())
    await Promise.all([ada.reaches('durable'), bob.reaches('durable')])
    await expect(readFile(file, 'utf8')).resolves.toBe(ada.shown())
    await until('both are shown', () => ada.current().presence.people.length === 2)
  })

  it('is seen by readers and by edits before it is in the file', async () => {
    verifies('live.readers-see-unsaved', 'live.edits-enter')
    await note('seen.md', 'one\n')
    const ada = await open('seen.md')
    ada.type('two\n')
    await ada.reaches('saved', 'durable')
    const before = await read('seen.md')
    expect(before.body.note.content).toBe('one\ntwo\n')

    const edited = await call(daemon, '/api/vaults/demo-vault/notes/seen.md', {
      method: 'PATCH',
      json: { baseline: before.body.note.baseline, edits: [{ oldText: 'two', newText: 'TWO' }] },
    })
    expect(edited.status).toBe(200)
    await ada.shows((text) => text === 'one\nTWO\n')
  })

  it('is searched with text that is in no file yet, and not with text that was undone', async () => {
    verifies('live.search-sees-unsaved')
    await note('searched.md', 'quiet\n')
    const hits = async (q: string) => {
      const { body } = await call<{ hits: { path: string; snippets: { text: string }[] }[] }>(
        daemon,
        `/api/vaults/demo-vault/search?q=${q}`,
      )
      return body.hits.filter(({ path }) => path === 'searched.md')
    }
    const ada = await open('searched.md')
    ada.type('zanzibar\n')
    await ada.reaches('saved', 'durable')
    const [hit] = await hits('zanzibar')
    expect(JSON.stringify(hit?.snippets)).toContain('zanzibar')

    ada.replace('zanzibar\n', '')
    await ada.reaches('saved', 'durable')
    expect(await hits('zanzibar')).toEqual([])
    ada.type('once more\n')
    await ada.reaches('durable')
    expect(await hits('zanzibar')).toEqual([])
    expect(await hits('quiet')).toHaveLength(1)
  })

  it('merges what another program writes with what is being typed', async () => {
    verifies('live.outside-enters')
    let round = 0
    await until('the file is written before it is saved', async () => {
      const path = `outside-${round++}.md`
      const file = await note(path, 'alpha\nbeta\ngamma\n')
      const ada = await open(path)
      ada.replace('alpha', 'alpha typed')
      if (!writeUnlessSaved({ file, text: 'alpha\nbeta\ngamma outside\n', saved: 'typed' })) return false
      await ada.shows((text) => text === 'alpha typed\nbeta\ngamma outside\n')
      await ada.reaches('durable')
      await expect(readFile(file, 'utf8')).resolves.toBe('alpha typed\nbeta\ngamma outside\n')
      return true
    })
  })

  it('does not take a file that a program empties before it writes it for an empty note', async () => {
    verifies('live.outside-enters')
    let round = 0
    await until('the file was written in time', async () => {
      const path = `emptied-${round++}.md`
      const file = await note(path, 'alpha\nbeta\ngamma\n')
      const ada = await open(path)
      const shown: string[] = []
      ada.follow(() => void shown.push(ada.shown()))
      const isInTime = await writeSlowly({
        file,
        text: 'alpha\nbeta\ngamma outside\n',
        async whileEmpty() {
          // Longer than the daemon takes to notice it, and than Ada's text waits for its save.
          await sleep(600)
          if (ada.shown() !== '') ada.replace('alpha', 'alpha typed')
        },
      })
      if (!isInTime) return false
      const both = 'alpha typed\nbeta\ngamma outside\n'
      await ada.shows((text) => text === both)
      await ada.reaches('durable')
      await expect(readFile(file, 'utf8')).resolves.toBe(both)
      expect(shown.filter((text) => !text.includes('beta'))).toEqual([])

      await writeFile(file, '')
      await ada.shows((text) => text === '')
      return true
    })
  })

  it('goes on when another program rewrites a large file, which everybody loads again', async () => {
    verifies('live.outside-enters')
    let round = 0
    const typeAndRewrite = async () => {
      const path = `rewritten-${round++}.md`
      const file = await note(path, 'old line\n'.repeat(120_000))
      const [ada, bob] = [await open(path), await open(path)]
      ada.type('from ada\n', 0)
      return { file, ada, bob, inTime: writeUnlessSaved({ file, text: 'new line\n'.repeat(120_000), saved: 'ada' }) }
    }
    let typed = await typeAndRewrite()
    while (!typed.inTime) typed = await typeAndRewrite()
    const { file, ada, bob } = typed
    bob.type('from bob\n')
    const isWhole = (text: string) =>
      text.includes('new line') && !text.includes('old') && /from ada/.test(text) && /from bob/.test(text)
    await Promise.all([ada, bob].map((client) => client.shows(isWhole)))
    // The daemon may have read the file while half of it was written.
    await until('both show the same', () => ada.shown() === bob.shown())
    expect(ada.shown().match(/from \w+/g)).toHaveLength(2)
    await until('both are shown again', () => ada.current().presence.people.length === 2)
    bob.type('later\n', 0)
    await ada.shows((text) => text.startsWith('later\n'))
    await Promise.all([ada.reaches('durable'), bob.reaches('durable')])
    await expect(readFile(file, 'utf8')).resolves.toBe(ada.shown())
  })

  it('keeps line ends and byte order mark of the file', async () => {
    verifies('live.bytes-kept')
    const file = await note('windows.md', '\uFEFFone\r\ntwo\r\n')
    const ada = await open('windows.md')
    expect(ada.shown()).toBe('one\ntwo\n')
    ada.replace('two', 'two\nthree')
    await ada.reaches('durable')
    await expect(readFile(file, 'utf8')).resolves.toBe('\uFEFFone\r\ntwo\r\nthree\r\n')
  })

  it('is made durable by a flush, which counts it', async () => {
    verifies('daemon.flush')
    const file = await note('flush.md', 'text\n')
    const ada = await open('flush.md')
    // On a slow machine the daemon may already have written the file before the request.
    await until('the flush counts it', async () => {
      ada.type('more\n')
      await ada.reaches('saved', 'durable')
      const { body } = await call<{ flushed: number }>(daemon, '/api/vaults/demo-vault/ops/flush', { method: 'POST' })
      expect(await readFile(file, 'utf8')).toBe(ada.shown())
      return body.flushed > 0
    })
  })

  it('loses nothing acknowledged when the daemon is killed, and goes on afterwards', async () => {
    verifies('live.kill-loses-nothing')
    const file = await note('killed.md', 'start\n')
    const ada = await open('killed.md')
    ada.type('acknowledged\n')
    await ada.reaches('saved', 'durable')
    await daemon.kill()
    ada.type('while it was down\n')
    await daemon.restart()
    ada.retry()
    await ada.reaches('durable')
    expect(ada.shown()).toBe('start\nacknowledged\nwhile it was down\n')
    await until('the file has it', async () => (await readFile(file, 'utf8')) === ada.shown())
  })

  it('follows a note that another program renames', async () => {
    verifies('live.outside-rename')
    const file = await note('old-name.md', 'text\n')
    const ada = await open('old-name.md')
    await rename(file, daemon.file('demo-vault', 'new-name.md'))
    await until('the session follows', () => ada.current().path === 'new-name.md')
    ada.type('more\n')
    await ada.reaches('durable')
    await expect(readFile(daemon.file('demo-vault', 'new-name.md'), 'utf8')).resolves.toBe('text\nmore\n')
  })

  it('follows a move, with what was just typed', async () => {
    verifies('live.moves-along')
    await note('from-here.md', '# Here\n')
    const ada = await open('from-here.md')
    ada.type('typed before\n')
    const moved = await call(daemon, '/api/vaults/demo-vault/move', {
      json: { from: 'from-here.md', to: 'there/to-there.md' },
    })
    expect(moved.status).toBe(200)
    await until('the session follows', () => ada.current().path === 'there/to-there.md')
    ada.type('typed after\n')
    await ada.reaches('durable')
    await expect(readFile(daemon.file('demo-vault', 'there/to-there.md'), 'utf8')).resolves.toBe(
      '# Here\ntyped before\ntyped after\n',
    )
  })

  it('reports a deletion, and keeps unsaved text in the trash', async () => {
    verifies('live.deletion-told')
    const file = await note('gone.md', 'text\n')
    const ada = await open('gone.md')
    await rm(file)
    ada.type('too late\n')
    await ada.reaches('gone')
    const { body } = await call<{ entries: { path: string }[] }>(daemon, '/api/vaults/demo-vault/trash')
    if (ada.current().save.state === 'gone' && (ada.current().save as { rescued: boolean }).rescued)
      expect(body.entries.map(({ path }) => path)).toContain('gone.md')
    expect(ada.shown()).toBe('text\ntoo late\n')
  })

  it('leaves the revisions of its path alone when rescued text is deleted for good', async () => {
    verifies('live.deletion-told', 'security.purged-history')
    let [round, path, id] = [0, '', '']
    await until('text was rescued, because the note was gone before it was saved', async () => {
      path = `rescued-${round++}.md`
      const file = await note(path, 'text\n')
      const ada = await open(path)
      ada.type('unsaved\n')
      await ada.reaches('saved')
      await rm(file)
      await ada.reaches('gone')
      const { body } = await call<{ entries: { id: string; path: string }[] }>(daemon, '/api/vaults/demo-vault/trash')
      id = body.entries.find((entry) => entry.path === path)?.id ?? ''
      return id !== ''
    })
    await note(path, 'another note\n')
    const revisions = async () =>
      (await call<{ revisions: unknown[] }>(daemon, `/api/vaults/demo-vault/history/${path}`)).body.revisions
    const before = await revisions()
    expect(before).not.toEqual([])
    const purged = await call(daemon, `/api/vaults/demo-vault/trash/${id}`, { method: 'DELETE' })
    expect(purged.status).toBe(200)
    expect(await revisions()).toEqual(before)
  })
})

describe('the live protocol', () => {
  const talk = (path: string) =>
    new Promise<{ socket: WebSocket; closed: Promise<[number, string]> }>((resolve) => {
      const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/api/vaults/demo-vault/live/${path}`)
      const closed = new Promise<[number, string]>((end) =>
        socket.on('close', (code, reason) => end([code, String(reason)])),
      )
      socket.on('error', () => {})
      socket.on('open', () => resolve({ socket, closed }))
    })
  const hello = JSON.stringify({ type: 'hello', clientId: 'client-of-a-test' })

  it.each([
    ['nothing of the protocol', ['{"type":"unknown"}'], 4400],
    ['no JSON', ['{'], 4400],
    ['anything before hello', ['{"type":"bye"}'], 4400],
    ['a push before the text has been loaded', [hello, '{"type":"push","version":0,"seq":1,"updates":[[[6]]]}'], 4409],
    ['a wrong length of the text', [hello, '{"type":"loaded","version":0,"length":1}'], 4409],
  ])('refuses %s', async (_what, messages, code) => {
    verifies('live.hostile-messages', 'live.unloaded-refused')
    const { socket, closed } = await talk('README.md')
    for (const message of messages) socket.send(message)
    expect((await closed)[0]).toBe(code)
  })

  it('answers not_found for a note that is not there', async () => {
    const { socket, closed } = await talk('missing.md')
    socket.send(hello)
    expect(await closed).toEqual([4404, 'not_found'])
  })

  it('refuses other origins at the handshake', async () => {
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/api/vaults/demo-vault/live/README.md`, {
      headers: { origin: 'http://evil.example' },
    })
    const status = await new Promise((resolve) => {
      socket.on('error', () => {})
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    })
    expect(status).toBe(403)
  })
})
