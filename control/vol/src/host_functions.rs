//! Functions of HDF5 that only one connector needs, found in the host by their names.
//!
//! The framework's own table (`h5-host`) has what every connector needs.

/// Makes a structure `Functions` of the listed functions, and a structure `Table` of them and of the variables whose names are in a
/// constant `IDENTIFIERS`. Both are looked up once in each host.
///
/// Calling one of the functions is unsafe: only inside a callback of that host, with arguments as HDF5 documents them.
#[macro_export]
macro_rules! host_functions {
    ($( fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty; )*) => {
        /// The functions of one libhdf5, under their C names. Calling one is unsafe: only inside one of its callbacks, with arguments
        /// as HDF5 documents them.
        #[derive(Clone, Copy)]
        pub(crate) struct Functions {
            $( $name: Option<unsafe extern "C" fn($($argument: $type),*) -> $result>, )*
        }

        impl Functions {
            fn find(host: $crate::Host) -> Self {
                let addresses = $crate::locate::symbols(host, &[$( stringify!($name), )*]);
                let mut addresses = addresses.into_iter();
                Self {
                    $(
                        // SAFETY: null, which becomes `None`, or the address of the function of this name, whose prototype is
                        // written in the list.
                        $name: unsafe {
                            core::mem::transmute::<
                                *mut core::ffi::c_void,
                                Option<unsafe extern "C" fn($($argument: $type),*) -> $result>,
                            >(addresses.next().unwrap_or(core::ptr::null_mut()))
                        },
                    )*
                }
            }

            $(
                /// The function of this name, if the library has it.
                pub(crate) fn $name(
                    &self,
                ) -> $crate::Result<unsafe extern "C" fn($($argument: $type),*) -> $result> {
                    self.$name.ok_or_else(|| {
                        $crate::Error::unsupported(
                            concat!("this libhdf5 has no function ", stringify!($name)))
                    })
                }
            )*
        }

        /// What was found in one host.
        pub(crate) struct Table {
            pub(crate) functions: Functions,
            identifiers: std::collections::HashMap<&'static str, $crate::Variable>,
        }

        impl Table {
            /// That of a host. Called only inside its callbacks.
            pub(crate) fn of(host: $crate::Host) -> &'static Self {
                static KNOWN: std::sync::Mutex<Vec<($crate::Host, &'static Table)>> =
                    std::sync::Mutex::new(Vec::new());
                let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if let Some((_, table)) = known.iter().find(|(of, _)| *of == host) {
                    return table;
                }
                // SAFETY: in an HDF5, these names are of variables that hold identifiers.
                let variable = |name: &&'static str| {
                    Some((*name, unsafe { $crate::locate::variable(host, name) }?))
                };
                let table = Box::leak(Box::new(Self {
                    functions: Functions::find(host),
                    identifiers: IDENTIFIERS.iter().filter_map(variable).collect(),
                }));
                known.push((host, table));
                table
            }

            /// What is in a variable. Only one of [`IDENTIFIERS`].
            pub(crate) fn identifier(&self, name: &str) -> $crate::Result<$crate::Id> {
                let found =
                    self.identifiers.get(name).map(|variable| variable.get()).filter(|id| id.is_valid());
                found.ok_or_else(|| {
                    $crate::Error::unsupported(format_args!("this libhdf5 has no variable {name}"))
                })
            }
        }
    };
}
