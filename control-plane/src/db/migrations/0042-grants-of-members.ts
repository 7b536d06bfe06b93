import { sql, type Kysely } from 'kysely'

const statements = [
  // What a person chose for a program ends with the membership: who is admitted again decides anew. A grant without a
  // vault is kept, since an empty choice is a choice too.
  `create function end_grants_of_member() returns trigger language plpgsql as $$
    begin
      update agent_grants
        set vaults = (
          select coalesce(jsonb_agg(chosen.vault order by chosen.place), '[]')
            from jsonb_array_elements(vaults) with ordinality as chosen (vault, place)
            where chosen.vault ->> 'orgId' <> old."organizationId")
        where user_id = old."userId"
          and vaults @> jsonb_build_array(jsonb_build_object('orgId', old."organizationId"));
      return null;
    end $$`,
  `create trigger member_removed_ends_grants after delete on member
    for each row execute function end_grants_of_member()`,

  // Choices of those who had been removed before.
  `update agent_grants set vaults = (
      select coalesce(jsonb_agg(chosen.vault order by chosen.place), '[]')
        from jsonb_array_elements(vaults) with ordinality as chosen (vault, place)
        where exists (
          select from member where member."userId" = agent_grants.user_id
            and member."organizationId" = chosen.vault ->> 'orgId'))`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
