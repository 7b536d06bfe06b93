import { useCallback, useRef, useState } from 'react'
import { toFailure, type ApiFailure } from '../api-failure.ts'

/** A write on its way: one at a time, its failure kept until the next try. */
export function useSubmit() {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const running = useRef(false)

  const submit = useCallback(async (write: () => Promise<unknown>): Promise<boolean> => {
    if (running.current) return false
    running.current = true
    setPending(true)
    setFailure(undefined)
    try {
      await write()
      return true
    } catch (error) {
      setFailure(toFailure(error))
      return false
    } finally {
      running.current = false
      setPending(false)
    }
  }, [])

  const forget = useCallback(() => setFailure(undefined), [])
  return { pending, failure, submit, forget }
}
