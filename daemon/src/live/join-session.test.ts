import { expect, test } from 'vitest'
import { memoryDisk, quietSessions } from '../../../test/support/live-model.ts'
import { joinSession } from './join-session.ts'
import { openLiveSessions } from './open-live-sessions.ts'

const actorOf = (id: string) =>
  id === 'here' ? ({ kind: 'local' } as const) : ({ kind: 'person', id, name: id, role: 'member' } as const)
const CLIENT = 'client-of-ada'

test.each([
  ['one person', 'ada'],
  ['somebody at this machine', 'here'],
])('the client id of %s is refused to another person, before a restart and after it', async (_who, ada) => {
  const disk = memoryDisk('one')
  const start = () =>
    openLiveSessions({
      files: disk.files,
      file: disk.file,
      ...quietSessions(),
      logged: disk.state.synced,
    })
  type Sessions = Awaited<ReturnType<typeof start>>
  const join = async ({ receipts, open }: Sessions, id: string) => {
    const ended: unknown[] = []
    const participant = {
      id,
      clientId: CLIENT,
      actor: actorOf(id),
      send: () => {},
      backlog: () => 0,
      isOpen: () => true,
      end: (failure: unknown) => void ended.push(failure),
    }
    const session = await open('note.md', participant.actor)
    await joinSession({ session, participant, hello: { type: 'hello', clientId: CLIENT }, receipts })
    return { session, participant, ended }
  }

  const before = await start()
  const { session, participant, ended } = await join(before, ada)
  await expect(join(before, 'eve')).rejects.toMatchObject({ code: 'forbidden' })
  expect(ended).toEqual([])
  await session.push({ version: 0, clientID: CLIENT, seq: 1, updates: [[3, [0, ' typed']]], by: participant.actor })
  session.audience.remove(participant)
  await expect(join(before, 'eve')).rejects.toMatchObject({ code: 'forbidden' })
  await join(before, ada)

  const after = await start()
  await after.restoreAll()
  await expect(join(after, 'eve')).rejects.toMatchObject({ code: 'forbidden' })
  await join(after, ada)
  expect(after.receipts.accepted(CLIENT)).toBe(1)
  await after.close()
})
