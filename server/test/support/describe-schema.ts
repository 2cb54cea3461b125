// All that a database's catalog says about its schema, and the rows it holds, as one line for each thing, so that two databases
// can be compared. It leaves out the tables of the migrator, and the names that PostgreSQL 18 gives to "not null".
import type { ClientBase } from 'pg'

const ours = `'public'::regnamespace`

const queries = [
  `select 'relation' as kind, c.relname as name, c.relkind, c.relpersistence, c.relrowsecurity,
     c.relreplident, c.relacl, c.reloptions, t.reloptions as toast_options,
     case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as view,
     pg_get_partkeydef(c.oid) as partitions, obj_description(c.oid, 'pg_class') as comment
   from pg_class c left join pg_class t on t.oid = c.reltoastrelid where c.relnamespace = ${ours}`,
  `select 'column' as kind, c.relname || '.' || a.attname as name, a.attnum,
     format_type(a.atttypid, a.atttypmod) as type, a.attcollation::regcollation, a.attnotnull,
     pg_get_expr(d.adbin, d.adrelid) as default, a.attidentity, a.attgenerated, a.attstorage,
     a.attcompression, coalesce(a.attstattarget, -1) as statistics, a.attoptions, a.attacl,
     col_description(c.oid, a.attnum) as comment
   from pg_attribute a join pg_class c on c.oid = a.attrelid
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where c.relnamespace = ${ours} and c.relkind <> 'i' and a.attnum > 0 and not a.attisdropped`,
  `select 'constraint' as kind, coalesce(c.relname || '.', '') || k.conname as name,
     pg_get_constraintdef(k.oid) as definition, k.convalidated,
     obj_description(k.oid, 'pg_constraint') as comment
   from pg_constraint k left join pg_class c on c.oid = k.conrelid
   where k.connamespace = ${ours} and k.contype not in ('n', 't')`,
  `select 'index' as kind, c.relname as name, pg_get_indexdef(c.oid) as definition, i.indisvalid,
     i.indisclustered, i.indisreplident,
     array(select coalesce(attstattarget, -1) from pg_attribute where attrelid = c.oid order by attnum)
       as statistics
   from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = ${ours}`,
  `select 'trigger' as kind, c.relname || '.' || t.tgname as name,
     pg_get_triggerdef(t.oid) as definition, t.tgenabled,
     obj_description(t.oid, 'pg_trigger') as comment
   from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = ${ours} and not t.tgisinternal`,
  `select 'function' as kind, p.oid::regprocedure::text as name, p.proacl,
     case when p.prokind <> 'a' then pg_get_functiondef(p.oid) end as definition,
     obj_description(p.oid, 'pg_proc') as comment
   from pg_proc p where p.pronamespace = ${ours}`,
  `select 'sequence' as kind, sequencename as name, data_type, start_value, min_value, max_value,
     increment_by, cycle, cache_size, last_value
   from pg_sequences where schemaname = 'public'`,
  `select 'type' as kind, t.typname as name, t.typtype, t.typnotnull, t.typdefault,
     format_type(t.typbasetype, t.typtypmod) as base,
     array(select enumlabel from pg_enum where enumtypid = t.oid order by enumsortorder) as labels
   from pg_type t where t.typnamespace = ${ours} and t.typtype not in ('b', 'c')`,
  `select 'statistics' as kind, stxname as name, pg_get_statisticsobjdef(oid) as definition
   from pg_statistic_ext`,
  `select 'policy' as kind, polrelid::regclass || '.' || polname as name, polcmd, polpermissive,
     pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check
   from pg_policy`,
  `select 'extension' as kind, extname as name, extversion from pg_extension`,
  `select 'namespace' as kind, nspname as name from pg_namespace where nspname !~ '^pg_'`,
  `select 'rows' as kind, relname as name,
     query_to_xml(format('table %I', relname), true, false, '')::text as content
   from pg_class where relnamespace = ${ours} and relkind in ('r', 'p')`,
]
const description = queries.map((query) => `select to_jsonb(q) as it from (${query}) q`)

export async function describeSchema(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ it: { kind: string; name: string } }>(
    description.join(' union all '),
  )
  return rows
    .map(({ it: { kind, name, ...details } }) => `${kind} ${name} ${JSON.stringify(details)}`)
    .filter((line) => !/^\w+ kysely_migration/.test(line))
    .sort()
}
