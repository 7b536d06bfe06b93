import { fail, isFailure, type FieldProblem } from '@svc/shared/wire/errors.ts'

/**
 * Does something with a path that a request names. What checks paths reports each problem as one of `path`; here they
 * get the names that the request has for its fields.
 */
export async function withFieldNames<T>(names: Record<string, string>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFailure(error, 'invalid_request') || !Array.isArray(error.details)) throw error
    const problems = error.details as FieldProblem[]
    const named = problems.map((problem) => ({ ...problem, path: names[problem.path] ?? problem.path }))
    throw fail('invalid_request', named, { cause: error })
  }
}
