import { listAttachments, listLinks, moveNote, noteHistory, readAttachment, writeAttachment } from './file-tools.ts'
import { createNote, deleteNote, editNote, readNote } from './note-tools.ts'
import { revertChanges } from './revert-tool.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { listNotes, listVaults, searchNotes, vaultInfo } from './vault-tools.ts'

/** Every tool of a daemon, in the order in which clients see them. */
export const toolDefinitions: readonly ToolDefinition[] = [
  listVaults,
  vaultInfo,
  listNotes,
  searchNotes,
  readNote,
  createNote,
  editNote,
  deleteNote,
  moveNote,
  listLinks,
  noteHistory,
  revertChanges,
  listAttachments,
  readAttachment,
  writeAttachment,
]
