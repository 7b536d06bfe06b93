# Starts the Postgres of a trial. The image only has to contain Postgres' own programs.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Created under another name and moved: an interrupted first start is repeated.
  rm -rf "$PGDATA.new"
  initdb --pgdata "$PGDATA.new" --username svc --pwfile /var/run/svc/password --auth-host scram-sha-256 \
    --auth-local trust --encoding UTF8 --locale C.UTF-8
  echo 'host all all all scram-sha-256' >>"$PGDATA.new/pg_hba.conf"
  echo 'create database svc' | postgres --single -D "$PGDATA.new" postgres
  # Before the port is open, so that the application never connects without its role.
  echo "create role svc_app login password '$(cat /var/run/svc/app-password)'" | postgres --single -D "$PGDATA.new" postgres
  mv "$PGDATA.new" "$PGDATA"
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
