#!/bin/sh
# Makes and ends the certificates of a site: its authority, the broker, tables, people and systems.
# README.md beside this file says where each goes. Needs openssl 1.1.1 or newer and nothing else.
set -eu

usage() {
    cat >&2 <<'TEXT'
usage: sh certificates.sh FOLDER VERB …
  authority NAME        once a site: ca.crt, and its key, which stays here
  broker HOST…          broker.crt, broker.key; HOST: every name and address tables reach it by
  table ID              ID.crt, ID.key; ID as in the table's file
  person PRINCIPAL      the same for a person or a system, as in the rosters
  revoke NAME           ends all certificates of this name; take revoked.crl to the broker
  list                  what is in force: end (UTC, yymmddhhmmssZ), kind and name
The same verb again renews: the new files take the place of the old.
Environment: DAYS (90) for which a certificate is good; AUTHORITY_PASSWORD_FILE, a file whose first
line encrypts the authority's key.
example: sh certificates.sh /srv/site table t-12
TEXT
    exit 2
}

fail() {
    echo "certificates.sh: $*" >&2
    exit 1
}

# A renewal every quarter is one that is practised; what is stolen is good for no longer than that.
DAYS=${DAYS:-90}
# The authority is in every table and outlives the tables; its list of revoked certificates too: it
# is carried to the broker by hand, and one that ended would lock the whole floor out.
AUTHORITY_DAYS=3650

[ $# -ge 2 ] || usage
folder=$1
verb=$2
shift 2
case $DAYS in '' | *[!0-9]* | 0*) fail "DAYS is a number of days, not '$DAYS'" ;; esac
command -v openssl >/dev/null || fail "openssl is missing: sudo apt-get install openssl"
umask 077

# What a name may be is what a table's file takes for an id and for a principal.
named() {
    case $1 in
    '' | *[!A-Za-z0-9-]*) fail "'$1': use letters, digits and '-'" ;;
    esac
    [ ${#1} -le 32 ] || fail "'$1': at most 32 characters"
    case $1 in ca | broker | revoked) fail "'$1' is a file of this folder; use another name" ;; esac
}

with_authority() {
    cd "$folder" 2>/dev/null || fail "$folder: no such folder; begin with the verb authority"
    [ -f private/ca.key ] || fail "$folder: no authority here; begin with the verb authority"
}

# openssl ca, with the password of the authority's key where it has one.
authority() {
    if [ -n "${AUTHORITY_PASSWORD_FILE:-}" ]; then
        openssl ca -batch -notext -config openssl.cnf -passin "file:$AUTHORITY_PASSWORD_FILE" "$@"
    else
        openssl ca -batch -notext -config openssl.cnf "$@"
    fi 2>private/last.log || fail "openssl: $(tail -n 3 private/last.log)"
}

write_settings() {
    cat >openssl.cnf <<TEXT
[ca]
default_ca = site
[site]
dir = .
database = private/index.txt
new_certs_dir = private/issued
certificate = ca.crt
private_key = private/ca.key
rand_serial = yes
default_md = sha256
default_crl_days = $AUTHORITY_DAYS
crl_extensions = list
unique_subject = no
copy_extensions = none
policy = names
[names]
organizationalUnitName = supplied
commonName = supplied
[req]
distinguished_name = none
[none]
[list]
authorityKeyIdentifier = keyid
[authority]
basicConstraints = critical,CA:true,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[client]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = \${ENV::NAMES}
[server]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = \${ENV::NAMES}
TEXT
}

new_key() {
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 "$@" 2>/dev/null
}

make_authority() {
    mkdir -p "$folder/private/issued"
    cd "$folder"
    [ ! -e private/ca.key ] || fail "$folder has an authority; another one needs another folder"
    : >private/index.txt
    write_settings
    if [ -n "${AUTHORITY_PASSWORD_FILE:-}" ]; then
        new_key -aes-256-cbc -pass "file:$AUTHORITY_PASSWORD_FILE" -out private/ca.key
        set -- "$1" -passin "file:$AUTHORITY_PASSWORD_FILE"
    else
        new_key -out private/ca.key
    fi
    name=$1
    shift
    NAMES=DNS:none openssl req -new -x509 -config openssl.cnf -extensions authority -sha256 \
        -key private/ca.key -days "$AUTHORITY_DAYS" -subj "/OU=authority/CN=$name" -out ca.crt "$@"
    chmod 644 ca.crt
    make_list
}

make_list() {
    NAMES=DNS:none authority -gencrl -out revoked.crl.new
    chmod 644 revoked.crl.new
    mv revoked.crl.new revoked.crl
}

# issue FILE KIND COMMON-NAME NAMES: both are whole before either is renamed, so that a table sees
# a key and a certificate that do not fit for that moment alone.
issue() {
    write_settings
    new_key -out "$1.key.new"
    NAMES=$4 openssl req -new -config openssl.cnf -key "$1.key.new" -subj "/OU=$2/CN=$3" \
        -out "private/$1.csr"
    extensions=client
    [ "$2" != broker ] || extensions=server
    NAMES=$4 authority -extensions "$extensions" -days "$DAYS" \
        -in "private/$1.csr" -out "$1.crt.new"
    rm "private/$1.csr"
    chmod 644 "$1.crt.new"
    mv "$1.key.new" "$1.key"
    mv "$1.crt.new" "$1.crt"
    echo "$folder/$1.crt and $1.key: $2 $3, for $DAYS days"
}

# The broker knows a user by his name alone: a table that is called like a person is that person.
issue_client() {
    named "$2"
    other=table
    [ "$1" != table ] || other=person
    if cut -f 6 private/index.txt | grep -qx "/OU=$other/CN=$2"; then
        fail "$2 is a $other already; the broker could not tell them apart"
    fi
    issue "$2" "$1" "$2" "DNS:$2"
}

issue_broker() {
    names=
    for host in "$@"; do
        case $host in
        '' | *[!A-Za-z0-9.:-]*) fail "'$host' is no name and no address" ;;
        *:* | [0-9]*.[0-9]*.[0-9]*.[0-9]*) names="$names,IP:$host" ;;
        *) names="$names,DNS:$host" ;;
        esac
    done
    issue broker broker "$1" "${names#,}"
}

revoke() {
    found=$(awk -F '\t' -v name="/CN=$1" \
        '$1 == "V" && substr($6, length($6) - length(name) + 1) == name { print $4 }' \
        private/index.txt)
    [ -n "$found" ] || fail "no certificate in force is called $1"
    for serial in $found; do
        NAMES=DNS:none authority -revoke "private/issued/$serial.pem"
    done
    make_list
    echo "$folder/revoked.crl ends the certificates of $1: take it to the broker, reload it there"
}

case $verb in
authority)
    [ $# -eq 1 ] || usage
    make_authority "$1"
    ;;
broker)
    [ $# -ge 1 ] || usage
    with_authority
    issue_broker "$@"
    ;;
table | person)
    [ $# -eq 1 ] || usage
    with_authority
    issue_client "$verb" "$1"
    ;;
revoke)
    [ $# -eq 1 ] || usage
    with_authority
    revoke "$1"
    ;;
list)
    with_authority
    awk -F '\t' '$1 == "V" { print $2 "  " $6 }' private/index.txt
    ;;
*) usage ;;
esac
