import type { TabStore } from '../tabs/tab-store.ts'
import { focusedPane, type Workspace } from '../tabs/workspace.ts'
import type { OpenVault } from '../vaults/vault-context.ts'
import type { ShortcutName } from './shortcuts.ts'

/** What keys need to act. */
export type Hands = {
  vault: Pick<OpenVault, 'mode' | 'setMode' | 'toggleLook' | 'show'>
  tabs: TabStore
  focusSearch: () => void
  toggleSidebar: () => void
  saveNow: () => void
}

/** What each shortcut runs. */
export function shortcutActions(hands: Hands): Record<ShortcutName, () => void> {
  const { vault, tabs } = hands
  // Loaded with the palette, when the person first does something.
  const onTabs = (change: (by: typeof import('../tabs/tab-changes.ts'), now: Workspace) => Workspace) => () =>
    void import('../tabs/tab-changes.ts').then((by) => tabs.change((now) => change(by, now)))
  const onParts = (act: (by: typeof import('./focus-parts.ts')) => void) => () =>
    void import('./focus-parts.ts').then(act)
  return {
    switcher: () => vault.show('switcher'),
    palette: () => vault.show('palette'),
    search: hands.focusSearch,
    mode: () => vault.setMode(vault.mode === 'reading' ? 'source' : 'reading'),
    look: () => {
      vault.setMode('source')
      vault.toggleLook()
    },
    save: hands.saveNow,
    newNote: () => vault.show('new-note'),
    closeTab: onTabs((by, now) => by.closeTab(now, focusedPane(now).active ?? '')),
    reopenTab: onTabs((by, now) => by.reopenTab(now)),
    nextTab: onTabs((by, now) => by.stepTab(now, 1)),
    previousTab: onTabs((by, now) => by.stepTab(now, -1)),
    tabRight: onTabs((by, now) => by.shiftTab(now, 1)),
    tabLeft: onTabs((by, now) => by.shiftTab(now, -1)),
    split: onTabs((by, now) => (now.panes.length > 1 ? by.join(now) : by.split(now))),
    otherPane: onParts((by) => by.focusOtherPane(tabs)),
    nextPart: onParts((by) => by.focusPart(1)),
    previousPart: onParts((by) => by.focusPart(-1)),
    sidebar: hands.toggleSidebar,
    cheatSheet: () => vault.show('cheat-sheet'),
  }
}
