import type { CodeSplittingGroup, Plugin } from 'rolldown'

/**
 * Puts modules that are loaded at the same time into the same file. Each file adds to the duration of a start, and the
 * bundler would create one for every set of entries that share modules. The roots are stages, which are loaded one
 * after the other with all their imports, and programs, which run in processes of their own. Modules that the same
 * roots need form one chunk. Chunks never import each other in a circle, because whatever a module imports is needed by
 * at least the same roots.
 */
export function loadTogether(stages: readonly string[]) {
  const programs = new Set<string>()
  const needs = new Map<string, Set<string>>()

  const plugin: Plugin = {
    name: 'load-together',
    buildEnd() {
      const visit = (id: string, root: string) => {
        const roots = needs.get(id) ?? new Set()
        if (roots.has(root)) return
        needs.set(id, roots.add(root))
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported, root)
      }
      for (const root of [...stages, ...programs]) visit(root, root)
      // What an earlier stage has loaded is available in the later ones.
      for (const roots of needs.values())
        for (const [index, stage] of stages.entries())
          if (roots.has(stage)) for (const later of stages.slice(index + 1)) roots.add(later)
      for (const root of [...stages, ...programs]) needs.delete(root)
    },
  }
  const group: CodeSplittingGroup = {
    debugName: 'load-together',
    name: (id) => {
      const roots = needs.get(id)
      const all = [...stages, ...programs]
      return roots ? `part-${all.map((root) => (roots.has(root) ? '1' : '0')).join('')}` : null
    },
    includeDependenciesRecursively: false,
  }
  return { plugin, group, addProgram: (id: string) => void programs.add(id) }
}
