import { useEffect, useRef } from 'react'

const MOST_MS = 30_000

/**
 * Reads an answer again for as long as the daemon says that it could not look at everything, as while it still reads the
 * vault: after 1, 2, 4 … at most 30 seconds.
 */
export function useUntilWhole(answer: { partial: boolean } | undefined, reload: () => void): void {
  const tries = useRef(0)
  useEffect(() => {
    if (answer === undefined) return
    if (!answer.partial) return void (tries.current = 0)
    const timer = setTimeout(
      () => {
        tries.current += 1
        reload()
      },
      Math.min(MOST_MS, 1000 * 2 ** tries.current),
    )
    return () => clearTimeout(timer)
  }, [answer, reload])
}
