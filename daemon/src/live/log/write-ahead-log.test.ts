import { describe, expect, it } from 'vitest'
import { decodeFrames, frameOf, generationOf, jsonParts } from './log-frame.ts'
import type { LogRecord } from './log-record.ts'
import { writeAheadLog, type LogFile } from './write-ahead-log.ts'

const encodeFrame = (generation: number, record: LogRecord) =>
  Buffer.concat(
    frameOf(
      generation,
      [...jsonParts(record)].map((part) => Buffer.from(part)),
    ),
  )

const moved = (path: string): LogRecord => ({ kind: 'moved', epoch: 'epoch-one', path })

describe('the frames of a log', () => {
  const frames = Buffer.concat(['a', 'b', 'c'].map((path) => encodeFrame(7, moved(path))))

  it('come back as they were written', () => {
    expect([...decodeFrames(frames)]).toEqual(['a', 'b', 'c'].map(moved))
    expect(generationOf(frames)).toBe(7)
    expect(generationOf(frames.subarray(0, 3))).toBe(0)
  })

  it('come back with long texts, cut anywhere', () => {
    const text = `x${'\u{1f600}\n"'.repeat(100_000)}`
    const by = { kind: 'local' } as const
    const record: LogRecord = {
      kind: 'session',
      epoch: 'epoch-one',
      path: 'a.md',
      version: 3,
      text,
      by,
      file: { baseline: 'b', text: `\n${text}` },
    }
    expect([...jsonParts(record)].length).toBeGreaterThan(10)
    expect([...decodeFrames(encodeFrame(7, record))]).toEqual([record])
  })

  it('end where a crash cut them, wherever that was', () => {
    const whole = frames.length / 3
    for (let length = 0; length <= frames.length; length++)
      expect([...decodeFrames(frames.subarray(0, length))]).toHaveLength(Math.floor(length / whole))
  })

  it('end at a damaged one and at one of another generation', () => {
    const damaged = Buffer.from(frames)
    damaged[frames.length - 2]! ^= 1
    expect([...decodeFrames(damaged)]).toHaveLength(2)
    expect([...decodeFrames(Buffer.concat([frames, encodeFrame(6, moved('old'))]))]).toHaveLength(3)
  })
})

describe('the log', () => {
  const memory = () => {
    const state = { bytes: Buffer.alloc(0), appends: 0, fails: false }
    const add = async (bytes: Buffer) => {
      if (state.fails) throw new Error('no room')
      state.appends += 1
      state.bytes = Buffer.concat([state.bytes, bytes])
    }
    const file: LogFile = {
      append: add,
      async replace(bytes) {
        const parts: Buffer[] = []
        for await (const part of bytes) parts.push(part)
        state.bytes = Buffer.alloc(0)
        await add(Buffer.concat(parts))
      },
      remove: async () => {},
      close: async () => {},
    }
    return { state, file }
  }

  it('writes what comes together at once', async () => {
    const { state, file } = memory()
    const log = writeAheadLog({ file, generation: 0, snapshot: () => [], onFailure: () => {} })
    await log.append(moved('first'))
    const before = state.appends
    await Promise.all(['a', 'b', 'c'].map((path) => log.append(moved(path))))
    expect(state.appends).toBe(before + 1)
    expect([...decodeFrames(state.bytes)]).toHaveLength(3)
  })

  it('gathers what may wait until the first may not any longer', async () => {
    const { state, file } = memory()
    const log = writeAheadLog({ file, generation: 0, snapshot: () => [], onFailure: () => {} })
    await log.append(moved('first'))
    const before = state.appends
    const waiting = [log.append(moved('for short'), 50), log.append(moved('for long'), 60_000)]
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.appends).toBe(before)
    await Promise.all(waiting)
    expect(state.appends).toBe(before + 1)
  })

  it('writes what waits with a record that may not', async () => {
    const { state, file } = memory()
    const log = writeAheadLog({ file, generation: 0, snapshot: () => [], onFailure: () => {} })
    await log.append(moved('first'))
    const before = state.appends
    await Promise.all([log.append(moved('may wait'), 60_000), log.append(moved('may not'))])
    expect(state.appends).toBe(before + 1)
    expect([...decodeFrames(state.bytes)]).toEqual(['may wait', 'may not'].map(moved))
  })

  it('keeps what comes while it is written anew, and the old file until it is whole', async () => {
    const { state, file } = memory()
    const made: string[] = []
    const large = 'x'.repeat(100_000)
    const record = (name: string) => () => {
      made.push(name)
      return moved(`${name}${large}`)
    }
    const log = writeAheadLog({
      file,
      generation: 0,
      snapshot: () => ['one', 'two', 'three'].map(record),
      onFailure: () => {},
    })
    state.bytes = Buffer.from('old')
    const first = log.append(moved('first'))
    while (made.length < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(made).toEqual(['one', 'two'])
    expect(state.bytes.toString()).toBe('old')
    await Promise.all([first, log.append(moved('later'))])
    const records = [...decodeFrames(state.bytes)]
    expect(records).toEqual([...['one', 'two', 'three'].map((name) => moved(`${name}${large}`)), moved('later')])
  })

  it('is rewritten when much has come since it was last rewritten, however much it began with', async () => {
    const { state, file } = memory()
    const begun = 'x'.repeat(300_000)
    let rewrites = 0
    const replace: LogFile['replace'] = (bytes) => {
      rewrites += 1
      return file.replace(bytes)
    }
    const log = writeAheadLog({
      file: { ...file, replace },
      generation: 0,
      snapshot: () => [() => moved(begun)],
      onFailure: () => {},
    })
    for (let nth = 0; nth < 3; nth++) {
      await log.append(moved('typed'))
      log.trim()
    }
    expect(rewrites).toBe(1)
    await log.append(moved(begun))
    log.trim()
    await log.append(moved('typed'))
    expect(rewrites).toBe(2)
    expect([...decodeFrames(state.bytes)]).toEqual([moved(begun)])
  })

  it('fails all that waits when it cannot write, and begins anew afterwards', async () => {
    const { state, file } = memory()
    const failures: unknown[] = []
    const log = writeAheadLog({
      file,
      generation: 0,
      snapshot: () => [() => moved('all')],
      onFailure: (error) => failures.push(error),
    })
    state.fails = true
    await expect(Promise.all([log.append(moved('a')), log.append(moved('b'))])).rejects.toThrow('no room')
    expect(failures).toHaveLength(1)
    state.fails = false
    await log.append(moved('c'))
    expect([...decodeFrames(state.bytes)]).toEqual([moved('all')])
  })
})
