import { useLayoutEffect, useRef } from 'react'

/** The value of the latest render, for callbacks that outlive the render that created them. */
export function useLatest<T>(value: T) {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
