const PROGRESS_MS = 1000

/**
 * Reports every second that a call is still running, so that the client does not give up; returns the function that
 * stops it.
 */
export function tellProgress(progress: (seconds: number) => void): () => void {
  let seconds = 0
  const timer = setInterval(() => progress(++seconds), PROGRESS_MS)
  return () => clearInterval(timer)
}
