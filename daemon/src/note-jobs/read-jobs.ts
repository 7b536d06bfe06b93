import { findMentions } from '../markdown/find-mentions.ts'
import { readYaml } from '../markdown/limited-yaml.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { linkPlacesOf } from '../markdown/link-places.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import { partsOfNote } from '../markdown/parse-note.ts'

/** The jobs that parse notes and YAML files, by name. */
export const readJobs = {
  facts: ({ path, bytes, text }: { path: string; bytes: Uint8Array; text: string }) => readNoteFacts(path, bytes, text),
  parts: partsOfNote,
  links: linkFactsOf,
  linkPlaces: linkPlacesOf,
  mentions: findMentions,
  yaml: ({ text }: { text: string }) => readYaml(text),
}
