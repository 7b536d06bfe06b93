import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { createSegmentBuilds } from './segment-builds.ts'

/** The processes that this one starts from now on. */
function startedProcesses(): ChildProcess[] {
  const started: ChildProcess[] = []
  const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process)
  subscribe('child_process', onStart)
  onTestFinished(() => void unsubscribe('child_process', onStart))
  return started
}

test('a build that begins while the process of the last one is ending has a process of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-segment-builds-'))
  onTestFinished(() => removeFolder(folder))
  const root = join(folder, 'vault')
  await mkdir(root)
  await writeFile(join(root, 'a.md'), 'a')
  const started = startedProcesses()
  const builds = createSegmentBuilds({ maxNoteBytes: 1_000_000 })
  const build = async () => {
    const { signal } = new AbortController()
    const { discard } = await builds.build({ root, file: join(folder, 'index/segment'), signal, urgency: 'awaited' })
    await discard()
  }

  // A process is let go of when the test says so, however long a step takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await build()
  const [first] = started
  // It does not end before the next build begins.
  first!.kill('SIGSTOP')
  onTestFinished(() => void first!.kill('SIGCONT'))
  const letGo = once(first!, 'disconnect')
  vi.runAllTimers()
  await letGo
  await build()
  expect([started.length, first!.exitCode]).toEqual([2, null])

  const ended = once(first!, 'exit')
  first!.kill('SIGCONT')
  await ended
  await build()
  expect(started.length).toBe(2)
})
