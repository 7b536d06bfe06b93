import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { toFailure } from '../api-failure.ts'

/** Runs one write at a time, and keeps its failure until the next attempt. */
export function useSubmit() {
  const { mutateAsync, isPending, error, reset } = useMutation({
    mutationFn: (write: () => Promise<unknown>) => write(),
  })
  const running = useRef(false)

  const submit = useCallback(
    async (write: () => Promise<unknown>): Promise<boolean> => {
      if (running.current) return false
      running.current = true
      try {
        await mutateAsync(write)
        return true
      } catch {
        return false
      } finally {
        running.current = false
      }
    },
    [mutateAsync],
  )

  return { pending: isPending, failure: error === null ? undefined : toFailure(error), submit, forget: reset }
}
