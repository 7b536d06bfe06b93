import type { z } from 'zod'

/** Turns zod's issues into the details of an `invalid_request`. */
export function toFieldProblems(error: z.core.$ZodError) {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
}
