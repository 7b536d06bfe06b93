import { useEffect, useRef } from 'react'

const MOST_MS = 30_000

/**
 * Repeats a request as long as the response is incomplete, for example while the daemon is still reading the vault:
 * after 1, 2, 4 … at most 30 seconds.
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
