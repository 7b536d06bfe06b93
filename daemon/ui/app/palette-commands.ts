import type { TabStore } from '../tabs/tab-store.ts'
import { closeTab, focusedPane, join, reopenTab, sendAcross, shiftTab, split, stepTab } from '../tabs/workspace.ts'
import type { OpenVault } from '../vaults/vault-context.ts'
import { shortcuts, type ShortcutName } from './shortcuts.ts'

/** A command of the palette and the shortcuts. */
export type Command = { id: string; title: string; keys?: string; run: () => void }

type Hands = {
  vault: Pick<OpenVault, 'mode' | 'setMode' | 'show' | 'refreshTree' | 'can'>
  /** Path of the open note, if one is open. */
  note: string | undefined
  tabs: TabStore
  focusSearch: () => void
  toggleSidebar: () => void
  togglePanel: () => void
  collapseAll: () => void
  saveNow: () => void
  copyText: (text: string) => void
  deleteNote: (path: string) => void
  showHistory: (path: string) => void
  showDeleted: () => void
  showAgents: () => void
  showGraph: (path?: string) => void
  showTags: () => void
}

/** What each shortcut runs. */
export function shortcutActions(hands: Hands): Record<ShortcutName, () => void> {
  const { vault, tabs } = hands
  const isSplit = () => tabs.current().panes.length > 1
  return {
    switcher: () => vault.show('switcher'),
    palette: () => vault.show('palette'),
    search: hands.focusSearch,
    mode: () => vault.setMode(vault.mode === 'reading' ? 'source' : 'reading'),
    save: hands.saveNow,
    newNote: () => vault.show('new-note'),
    closeTab: () => tabs.change((now) => closeTab(now, focusedPane(now).active ?? '')),
    reopenTab: () => tabs.change(reopenTab),
    nextTab: () => tabs.change((now) => stepTab(now, 1)),
    previousTab: () => tabs.change((now) => stepTab(now, -1)),
    tabRight: () => tabs.change((now) => shiftTab(now, 1)),
    tabLeft: () => tabs.change((now) => shiftTab(now, -1)),
    split: () => tabs.change(isSplit() ? join : split),
    otherPane: () => focusOtherPane(tabs),
    sidebar: hands.toggleSidebar,
    cheatSheet: () => vault.show('cheat-sheet'),
  }
}

/** All commands that make sense now: those with keys first, then the rest. */
export function commands(hands: Hands): Command[] {
  const { vault, note } = hands
  const actions = shortcutActions(hands)
  const needNote: ShortcutName[] = ['mode', 'save', 'closeTab', 'tabRight', 'tabLeft']
  const withKeys = (Object.keys(shortcuts) as ShortcutName[])
    .filter((name) => name !== 'palette' && (note !== undefined || !needNote.includes(name)))
    .map((name) => ({ id: name, title: shortcuts[name].does, keys: shortcuts[name].keys, run: actions[name] }))
  return [
    ...withKeys,
    ...(note === undefined
      ? []
      : [
          { id: 'history', title: 'History of this note', run: () => hands.showHistory(note) },
          { id: 'note-graph', title: 'Links around this note', run: () => hands.showGraph(note) },
          { id: 'move', title: 'Rename or move this note', run: () => vault.show({ move: note }) },
          { id: 'across', title: 'Move this tab to the other pane', run: () => hands.tabs.change(sendAcross) },
          { id: 'delete', title: 'Delete this note', run: () => hands.deleteNote(note) },
          { id: 'copy-path', title: 'Copy the path of this note', run: () => hands.copyText(note) },
          { id: 'copy-link', title: 'Copy a link to this note', run: () => hands.copyText(window.location.href) },
        ]),
    { id: 'panel', title: 'Show or hide outline and properties', run: hands.togglePanel },
    { id: 'new-folder', title: 'New folder', run: () => vault.show({ newFolderIn: '' }) },
    { id: 'deleted', title: 'Deleted notes', run: hands.showDeleted },
    { id: 'graph', title: 'Links of the whole vault', run: () => hands.showGraph() },
    { id: 'tags', title: 'Tags', run: hands.showTags },
    { id: 'agents', title: 'What agents changed', run: hands.showAgents },
    { id: 'collapse', title: 'Collapse all folders', run: hands.collapseAll },
    { id: 'refresh', title: 'Read the tree again', run: vault.refreshTree },
    ...(vault.can('create_vault') ? [{ id: 'new-vault', title: 'New vault', run: () => vault.show('new-vault') }] : []),
  ]
}

/** Goes to the pane without the focus, and gives its note the keys. */
function focusOtherPane(tabs: TabStore): void {
  const { panes, focused } = tabs.current()
  const other = panes.find(({ id }) => id !== focused)
  if (!other) return
  tabs.focus(other.id)
  document.querySelector<HTMLElement>(`.pane[data-pane='${other.id}'] :is(.editor-host, .note-scroll)`)?.focus()
}
