import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canRepair, isEditedAt, makeEdit } from './edit-corpus.ts'
import { seededRandom } from './hostile-text.ts'
import { liveClient } from './live-client.ts'
import { notesIn, type CorpusResult } from './run-edit-corpus.ts'
import { call, startSvcd } from './svcd.ts'
import { until } from './until.ts'
import { copyVault } from './vault.ts'
import { homeWith } from './vault-home.ts'
import { removeFolder } from './remove-folder.ts'

type Note = { note: { content: string; baseline: string } }
type Failed = { error: { code: 'match_count' | 'stale_doc'; details: unknown } }

const OF_ONE_NOTE = 250
// Work on several notes at once: an edit mostly waits for the disk, and an outside edit waits a second until the note
// is saved.
const NOTES_AT_ONCE = 5

/**
 * The text without the words of the typist and of the outside editor. Both only add words, which have recognizable
 * marks. An edit may remove the line end beside a line of the outside editor; that line then has no line end of its
 * own.
 */
const withoutOthers = (text: string) =>
  text
    .replaceAll(/ ‹t\d+›/g, '')
    .replaceAll(/(^|\n)(?:‹o\d+›\n?)+/g, '$1')
    .replaceAll(/‹o\d+›/g, '')

/** The part of a text around the first difference from the expected text. */
function around(expected: string, now: string): string {
  let at = 0
  while (at < now.length && expected[at] === now[at]) at += 1
  return now.slice(Math.max(0, at - 80), at + 200)
}

/**
 * Makes edits with the noise of models through a daemon, in notes into which somebody types while another program
 * changes them on disk. An edit is wrong if it changes anything but its passage, if it fails and yet changes something,
 * or if a word of the others is lost or doubled.
 */
export async function runBusyEdits({ edits, seed }: { edits: number; seed: number }): Promise<CorpusResult> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-busy-edits-'))
  await copyVault(folder)
  const texts = (await notesIn(folder)).filter((text) => !text.includes('\r') && text.length < 50_000)
  await removeFolder(folder)
  const picking = seededRandom(seed)
  const count = Math.ceil(edits / OF_ONE_NOTE)
  const notes = Array.from({ length: count }, (_, nth) => [`v/n${nth}.md`, picking.pick(texts)] as const)
  const svcd = await startSvcd({ home: await homeWith(Object.fromEntries(notes)) })
  const result: CorpusResult = { edits: 0, applied: 0, rejected: 0, repairable: 0, wrong: [] }
  const waiting = notes.keys()
  const editNext = async () => {
    for (const nth of waiting) {
      await editOne(nth, Math.min(OF_ONE_NOTE, edits - nth * OF_ONE_NOTE))
      console.log(`edits of busy notes: ${result.edits} of ${edits}, wrong ${result.wrong.length}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: NOTES_AT_ONCE }, editNext))
  } finally {
    await svcd.remove()
  }
  return result

  async function editOne(nth: number, most: number): Promise<void> {
    const path = `n${nth}.md`
    // A random source for each note, so that its edits do not depend on the timing of other notes.
    const random = seededRandom(seed * 1000 + nth)
    const address = `/api/vaults/v/notes/${path}`
    const read = async () => (await call<Note>(svcd, address)).body.note
    const typist = liveClient({ url: () => svcd.url, path, vaultId: 'v' })
    await typist.shows((text) => text !== '')
    const written: string[] = []
    const wrong = (noise: string, told: string) => {
      console.log(`wrong: ${noise}, ${path}: ${told}`)
      result.wrong.push({ kind: 'wrong', noise, repairable: false, told: `${path}: ${told}` })
    }

    const type = () => {
      const text = typist.shown()
      const end = text.indexOf('\n', random.below(text.length))
      const word = `‹t${written.length}›`
      written.push(word)
      typist.type(` ${word}`, end < 0 ? text.length : end)
    }
    const writeOutside = async () => {
      // The outside editor reads the newest text first: text that it has not read would be removed by its save.
      type()
      await typist.reaches('durable')
      const file = svcd.file('v', path)
      const text = readFileSync(file, 'utf8')
      const at = text.indexOf('\n', random.below(text.length)) + 1
      const word = `‹o${written.length}›`
      written.push(word)
      writeFileSync(file, `${text.slice(0, at)}${word}\n${text.slice(at)}`)
    }

    let expected = withoutOthers((await read()).content)
    for (let made = 0; made < most;) {
      const { content, baseline } = await read()
      const edit = makeEdit(content, random)
      if (!edit || /[‹›]/.test(content.slice(edit.from, edit.to))) continue
      made += 1
      result.edits += 1
      const { noise, oldText, newText } = edit
      if (random.below(25) === 0) await writeOutside()
      if (random.below(2) === 0) type()
      const answer = await call<Failed>(svcd, address, {
        method: 'PATCH',
        json: { baseline, edits: [{ oldText, newText }], onStale: 'rebase' },
      })
      const now = withoutOthers((await read()).content)
      if (answer.status === 200) {
        result.applied += 1
        const from = withoutOthers(content.slice(0, edit.from)).length
        if (!isEditedAt(expected, now, { from, to: from + edit.to - edit.from, newText }))
          wrong(noise, JSON.stringify({ oldText, was: content.slice(edit.from, edit.to), now: around(expected, now) }))
        expected = now
      } else {
        result.rejected += 1
        if (answer.status >= 500) wrong(noise, answer.text)
        else if (canRepair(answer.body.error, content.slice(edit.from, edit.to))) result.repairable += 1
        if (now !== expected) {
          const [was, is] = [around(now, expected), around(expected, now)]
          wrong(noise, `refused with ${answer.body.error.code}, and changed the note: ${JSON.stringify({ was, is })}`)
        }
        expected = now
      }
    }
    await until('all words are in the file', () =>
      written.every((word) => readFileSync(svcd.file('v', path), 'utf8').includes(word)),
    ).catch((error: Error) => wrong('none', error.message))
    const final = readFileSync(svcd.file('v', path), 'utf8')
    for (const word of written)
      if (final.split(word).length !== 2) wrong('none', `${word} is there ${final.split(word).length - 1} times`)
    typist.close()
  }
}
