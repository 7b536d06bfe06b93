import { openSegment, type Segment } from './segment.ts'

/**
 * A segment file that is open while it is used. Its content is not kept in memory: opening it again takes milliseconds.
 */
export type SegmentHandle = {
  /** Runs with the open segment, which stays open until the run ends. */
  use<T>(run: (segment: Segment) => Promise<T>): Promise<T>
  /** Closes it once nobody uses it; the next use opens it again. */
  rest(): Promise<void>
  /** Closes it permanently, after the present users. */
  close(): Promise<void>
}

/** The segment of a file. A file that is open stays the same, even after another one has taken its name. */
export function createSegmentHandle({ path, opened }: { path: string; opened: Segment }): SegmentHandle {
  let segment: Promise<Segment> | undefined = Promise.resolve(opened)
  const users = new Set<Promise<unknown>>()

  const rest = async () => {
    const open = segment
    segment = undefined
    await (await open?.catch(() => undefined))?.close()
  }

  return {
    use(run) {
      if (!segment) {
        const opening = openSegment(path)
        segment = opening
        opening.catch(() => {
          if (segment === opening) segment = undefined
        })
      }
      const using = segment.then(run)
      const ended = using.then(
        () => {},
        () => {},
      )
      users.add(ended)
      void ended.then(() => users.delete(ended))
      return using
    },
    async rest() {
      if (users.size === 0) await rest()
    },
    async close() {
      await Promise.all(users)
      await rest()
    },
  }
}
