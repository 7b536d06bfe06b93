import { expect, test } from 'vitest'
import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { verifies } from '../requirements.ts'
import { seededRandom } from '../support/hostile-text.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'

const VAULT = '/api/vaults/demo-vault'
const NOTE = `${VAULT}/notes/shared.md`
const PARAGRAPHS = 40
const HUMAN_EDITS = 200
const AGENT_EDITS = 50

test('a run of an agent among 200 edits of a person is taken back, and every word of the person stays', async () => {
  verifies('revert.keeps-people')
  const daemon = await startRelayedDaemon()
  try {
    const random = seededRandom(7)
    const person = daemon.person('member')
    const read = async () => (await daemon.local(NOTE)).body as { note: { content: string; baseline: string } }
    const ok = ({ status, text }: { status: number; text: string }) => expect([200, 201], text).toContain(status)
    const edit = async (oldText: string, newText: string) => ({
      baseline: (await read()).note.baseline,
      edits: [{ oldText, newText }],
    })
    const start = Array.from({ length: PARAGRAPHS }, (_, at) => `(p${at}) begins here.\n`).join('\n')
    ok(await person.call(NOTE, { method: 'PUT', json: { content: start }, headers: { 'if-none-match': '*' } }))

    let agentWords = 0
    for (let words = 0; words < HUMAN_EDITS;) {
      const head = `(p${random.below(PARAGRAPHS)})`
      if (agentWords < AGENT_EDITS && random.below(4) === 0) {
        // The agent writes a line of its own, or into the middle of what people wrote.
        const word = `<agent-${agentWords++}>`
        const added = random.below(2) === 0 ? `${word}\n\n${head}` : `${head} ${word}`
        const args = { vaultId: 'demo-vault', path: 'shared.md', ...(await edit(head, added)) }
        ok(
          await daemon.agentCall(
            { tool: 'edit_note', arguments: args },
            { sub: person.id, name: 'Ada', role: 'member' },
          ),
        )
      } else ok(await person.call(NOTE, { method: 'PATCH', json: await edit(head, `${head} <human-${words++}>`) }))
    }
    const wordsOf = (text: string, kind: 'human' | 'agent') => text.match(new RegExp(`<${kind}-\\d+>`, 'g')) ?? []
    const before = (await read()).note.content
    expect(wordsOf(before, 'human')).toHaveLength(HUMAN_EDITS)
    expect(wordsOf(before, 'agent')).toHaveLength(agentWords)

    const wish = { client: 'Claude', since: '2000-01-01T00:00:00Z' }
    const ask = async (more: object) => {
      const answer = await daemon.local(`${VAULT}/revert`, { json: { ...wish, ...more } })
      ok(answer)
      return RevertResult.parse(answer.body)
    }
    const shown = await ask({})
    await ask({ dryRun: false, review: shown.review })

    const after = (await read()).note.content
    expect(wordsOf(after, 'human')).toEqual(wordsOf(before, 'human'))
    const told = shown.notes.flatMap(({ conflicts }) => conflicts.map(({ now }) => now)).join('\n')
    const stayed = wordsOf(after, 'agent')
    expect(stayed.filter((word) => !told.includes(word))).toEqual([])
    expect(agentWords - stayed.length).toBeGreaterThan(AGENT_EDITS / 4)
  } finally {
    await daemon.close()
  }
})
