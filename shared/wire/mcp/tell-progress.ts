const PROGRESS_MS = 1000

/** Tells every second that a call is still running, so that a client does not give up on it; returns how to stop. */
export function tellProgress(progress: (seconds: number) => void): () => void {
  let seconds = 0
  const timer = setInterval(() => progress(++seconds), PROGRESS_MS)
  return () => clearInterval(timer)
}
