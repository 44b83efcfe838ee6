# Installs a Debian package, starts the service as the unit does, and purges the package, on a copy of this system that
# is gone afterwards: `unshare --mount sh install-package.sh FOLDER PACKAGE PORT`.
set -eu
folder=$1
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
mount -t tmpfs tmpfs "$folder/root/dev"
mknod -m 666 "$folder/root/dev/null" c 1 3
mknod -m 666 "$folder/root/dev/urandom" c 1 9
mount -t proc proc "$folder/root/proc"
cp "$2" "$folder/root/svc.deb"
chroot "$folder/root" sh -eu -s "$3" <<'INSIDE'
dpkg --install /svc.deb
echo "user: $(id --name --user svc) $(getent passwd svc | cut -d: -f6)"
echo "data: $(stat --format '%U %a' /var/lib/svc)"
echo "enabled: $(ls /etc/systemd/system/multi-user.target.wants | grep '^svc.service$')"
man svc | head -3 >/dev/null
unit=/usr/lib/systemd/system/svc.service
test "$(grep '^User=' $unit)" = User=svc
cd /var/lib/svc
export SVC_HTTP_PORT="$1" $(grep -h '^SVC_' /etc/svc/svc.env) $(sed -n 's/^Environment=//p' $unit)
setpriv --reuid svc --regid svc --clear-groups $(sed -n 's/^ExecStart=//p' $unit) >/tmp/svc.out 2>&1 &
process=$!
for attempt in $(seq 300); do
  if setpriv --reuid svc --regid svc --clear-groups svc status >/tmp/status.out 2>&1; then break; fi
  sleep 0.2
done
echo "status: $(grep -o 'ready' /tmp/status.out | head -1)"
echo "password: $(stat --format '%U %a' /var/lib/svc/generated-password)"
kill $process
wait $process && echo 'stopped: 0'
echo '# mine' >>/etc/svc/svc.env
dpkg --install /svc.deb
echo "conffile: $(tail -1 /etc/svc/svc.env)"
dpkg --remove svc
echo "after remove: $(ls -d /etc/svc/svc.env /var/lib/svc/svc.db /usr/bin/svc 2>/dev/null | tr '\n' ' ')"
dpkg --purge svc
echo "after purge: $(ls -d /etc/svc /var/lib/svc/svc.db /usr/bin/svc 2>/dev/null | tr '\n' ' ')"
INSIDE
