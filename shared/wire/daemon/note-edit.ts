import { z } from 'zod'
import { jsonValue, text } from '../text.ts'

const EDIT_FORMS = 'is none of {oldText, newText}, {section, op, text}, {property, value} and {property, delete: true}'

/** One anchored replacement, section or property edit; see edit_note in docs. */
export const Edit = z.union(
  [
    z.strictObject({
      oldText: text().min(1),
      newText: text(),
      before: text().optional(),
      after: text().optional(),
      occurrence: z.number().int().positive().optional(),
    }),
    z.strictObject({
      section: text().min(1),
      op: z.enum(['replace', 'append', 'prepend', 'insert_before', 'insert_after']),
      text: text(),
      occurrence: z.number().int().positive().optional(),
    }),
    z
      .strictObject({ property: text().min(1), value: jsonValue().optional(), delete: z.literal(true).optional() })
      .refine((edit) => (edit.value === undefined) === (edit.delete === true), 'needs either value or delete: true'),
  ],
  EDIT_FORMS,
)
export type Edit = z.infer<typeof Edit>
