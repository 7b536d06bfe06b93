/** Why a revert leaves something as it is, in words for people and agents. */
export const leftReasons = {
  others: 'others have changed it since it was created',
  moved: 'others have moved it since',
  changed: 'it has changed since it was moved',
  gone: 'it is not there any more',
  erased: 'it was deleted for good',
  inFolder: 'it is in the trash with its folder, which can be restored',
  replaced: 'its earlier content was not kept',
  inUse: 'it stays beside the one that comes back, since there is something else in it',
  taken: 'its path is taken',
  unusable: 'its path cannot be used any more',
  purged: 'a note of this path was deleted for good',
  large: 'its revisions are too large to compare',
  much: 'too much text would change at once: revert again for the rest',
} as const
