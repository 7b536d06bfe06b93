/** A response of the Kubernetes API that is not a success. */
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

/** True for a response of the API with one of these statuses. */
export function isKubeError(error: unknown, ...statuses: number[]): error is KubeError {
  return error instanceof KubeError && (statuses.length === 0 || statuses.includes(error.status))
}

/** True when the roles of the caller do not allow the call. Admission answers 403, too: a quota or a storage class. */
export function lacksRights(error: KubeError): boolean {
  return error.status === 403 && / cannot [a-z]+ resource "/.test(error.message)
}

/** The value, or undefined when the API says that there is none. No other failure means absence. */
export async function absentOn404<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isKubeError(error, 404)) return undefined
    throw error
  }
}
