import type { WriteAttachment } from '../attachments/write-attachment.ts'
import type { TextRoom } from '../http/text-room.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { ReadHistory } from '../history/read-history.ts'
import type { LinksOfFile } from '../links/links-of-file.ts'
import type { MoveInVault } from '../moves/move-in-vault.ts'
import type { DeleteNote } from '../notes/delete-note.ts'
import type { EditNote } from '../notes/edit-note.ts'
import type { NoteTree } from '../notes/note-tree.ts'
import type { ReadNote } from '../notes/read-note.ts'
import type { SaveNote } from '../notes/save-note.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { PrepareRevert } from '../reverts/prepare-revert.ts'
import type { RevertChanges } from '../reverts/revert-changes.ts'
import type { SearchNotes } from '../search/search-notes.ts'
import type { DescribeVault } from '../storage/vault-info.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { helpfulTool } from './helpful-tool.ts'
import type { Tool } from './tool.ts'
import { createNoteTool } from './tools/create-note.tool.ts'
import { deleteNoteTool } from './tools/delete-note.tool.ts'
import { editNoteTool } from './tools/edit-note.tool.ts'
import { listAttachmentsTool } from './tools/list-attachments.tool.ts'
import { listLinksTool } from './tools/list-links.tool.ts'
import { listNotesTool } from './tools/list-notes.tool.ts'
import { listVaultsTool } from './tools/list-vaults.tool.ts'
import { moveNoteTool } from './tools/move-note.tool.ts'
import { noteHistoryTool } from './tools/note-history.tool.ts'
import { readAttachmentTool } from './tools/read-attachment.tool.ts'
import { readNoteTool } from './tools/read-note.tool.ts'
import { revertChangesTool } from './tools/revert-changes.tool.ts'
import { searchNotesTool } from './tools/search-notes.tool.ts'
import { vaultInfoTool } from './tools/vault-info.tool.ts'
import { writeAttachmentTool } from './tools/write-attachment.tool.ts'

/** The verbs that the tools call. */
export type ToolDeps = {
  registry: VaultRegistry
  readNote: ReadNote
  saveNote: SaveNote
  editNote: EditNote
  deleteNote: DeleteNote
  searchNotes: SearchNotes
  vaultInfo: DescribeVault
  noteTree: NoteTree
  moves: MoveInVault
  linksOfFile: LinksOfFile
  runNoteJob: RunNoteJob
  writeAttachment: WriteAttachment
  historyOf: (vault: Vault) => NoteHistory
  readHistory: ReadHistory
  prepareRevert: PrepareRevert
  revertChanges: RevertChanges
  textRoom: TextRoom
}

/** Every tool of the daemon, in the order in which clients see them. */
export function toolTable(deps: ToolDeps): Tool[] {
  const tools = [
    listVaultsTool(deps),
    vaultInfoTool(deps),
    listNotesTool(deps),
    searchNotesTool(deps),
    readNoteTool(deps),
    createNoteTool(deps),
    editNoteTool(deps),
    deleteNoteTool(deps),
    moveNoteTool(deps),
    listLinksTool(deps),
    noteHistoryTool(deps),
    revertChangesTool(deps),
    listAttachmentsTool(deps),
    readAttachmentTool(deps),
    writeAttachmentTool(deps),
  ]
  return tools.map((tool) => helpfulTool(tool, deps.registry))
}
