/** An answer of the Kubernetes API that is no success. */
export class KubeError extends Error {
  readonly status: number
  readonly reason: string

  constructor({ status, reason, message }: { status: number; reason: string; message: string }) {
    super(message || `the Kubernetes API answered ${status}`)
    this.name = 'KubeError'
    this.status = status
    this.reason = reason
  }
}

/** Tells an answer of the API with one of these statuses from every other failure. */
export function isKubeError(error: unknown, ...statuses: number[]): error is KubeError {
  return error instanceof KubeError && (statuses.length === 0 || statuses.includes(error.status))
}

/** The value, or undefined where the API says that there is none. Nothing else makes something absent. */
export async function absentOn404<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isKubeError(error, 404)) return undefined
    throw error
  }
}
