import { useEffect, useState } from 'react'

/** A value once it has stayed the same for a while; until then the previous one. */
export function useLasting<T>(value: T, ms: number): T {
  const [lasting, setLasting] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLasting(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return lasting
}

/** True once a condition has held for a while, false as soon as it does not. */
export function useHolds(condition: boolean, ms: number): boolean {
  return useLasting(condition, condition ? ms : 0) && condition
}
