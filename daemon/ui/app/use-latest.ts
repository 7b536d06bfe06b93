import { useLayoutEffect, useRef } from 'react'

/** The value of the last render, for callbacks that outlive the render they were made in. */
export function useLatest<T>(value: T) {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
