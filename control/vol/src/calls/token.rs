//! Tokens: comparing them, and converting them to and from text.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5I_type_t, H5O_token_t};
use h5_host::errors::preserve;

use super::{call_below, method, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::methods::PassThrough;
use crate::object::{Object, ObjectKind};
use crate::token::Token;

/// Orders two tokens.
pub struct TokenCompare<'a, C: Connector> {
    /// The container, or an object in it.
    pub object: Arc<Object<C>>,
    /// First token.
    pub left: &'a Token,
    /// Second token.
    pub right: &'a Token,
}

impl<C: PassThrough> TokenCompare<'_, C> {
    /// Asks the connector below.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        let mut order = 0;
        // SAFETY: our object's counterpart below, two tokens and a valid out-pointer.
        status(unsafe {
            let left = core::ptr::from_ref(self.left).cast::<H5O_token_t>();
            let right = core::ptr::from_ref(self.right).cast::<H5O_token_t>();
            call_below!(below, token_cls.cmp, H5VLtoken_cmp, (below.as_ptr()), (left, right, &raw mut order))
        })?;
        Ok(order)
    }
}

pub(crate) unsafe extern "C" fn token_cmp<C: Connector>(
    object: *mut c_void,
    left: *const H5O_token_t,
    right: *const H5O_token_t,
    order: *mut c_int,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects, two tokens and a valid out-pointer.
    unsafe {
        with_object::<C, _>(object, Callback::TokenCompare, |instance, object| {
            let (Some(left), Some(right)) = (left.cast::<Token>().as_ref(), right.cast::<Token>().as_ref())
            else {
                return Err(Error::bad_argument("a token to compare is null"));
            };
            *order = method!(C, token_cls.cmp)(instance.connector(), TokenCompare { object, left, right })?;
            Ok(0)
        })
    }
}

/// Writes a token as text.
pub struct TokenToText<'a, C: Connector> {
    /// The container, or an object in it.
    pub object: Arc<Object<C>>,
    /// What `object` is.
    pub kind: ObjectKind,
    /// The token.
    pub token: &'a Token,
}

impl<C: PassThrough> TokenToText<'_, C> {
    /// Asks the connector below.
    pub fn forward(&mut self) -> Result<String> {
        let below = self.object.require_below()?;
        let host = self.object.host();
        let mut text = core::ptr::null_mut();
        // SAFETY: our object's counterpart below, a token and a valid out-pointer.
        status(unsafe {
            let token = core::ptr::from_ref(self.token).cast::<H5O_token_t>();
            call_below!(
                below,
                token_cls.to_str,
                H5VLtoken_to_str,
                (below.as_ptr(), self.kind.id_type()),
                (token, &raw mut text)
            )
        })?;
        if text.is_null() {
            return Err(Error::failed("the connector below gave no text for a token"));
        }
        // SAFETY: a C string that the host allocated for us.
        let owned = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: allocated by the host, not used again.
        preserve(host, || unsafe { (host.functions().H5free_memory)(text.cast()) });
        Ok(owned)
    }
}

pub(crate) unsafe extern "C" fn token_to_str<C: Connector>(
    object: *mut c_void,
    id_type: H5I_type_t,
    token: *const H5O_token_t,
    text: *mut *mut c_char,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects, a token and a valid out-pointer.
    unsafe {
        with_object::<C, _>(object, Callback::TokenToString, |instance, object| {
            let token = token
                .cast::<Token>()
                .as_ref()
                .ok_or_else(|| Error::bad_argument("a token to write is null"))?;
            let kind = ObjectKind::from_id_type(id_type);
            let written =
                method!(C, token_cls.to_str)(instance.connector(), TokenToText { object, kind, token })?;
            let host = instance.host();
            // Zeroed memory of the host, which the application will give back to it.
            let memory = preserve(host, || (host.functions().H5allocate_memory)(written.len() + 1, true));
            if memory.is_null() {
                return Err(Error::failed("out of memory for a token's text"));
            }
            core::ptr::copy_nonoverlapping(written.as_ptr(), memory.cast(), written.len());
            *text = memory.cast();
            Ok(0)
        })
    }
}

/// Reads a token from text.
pub struct TokenFromText<'a, C: Connector> {
    /// The container, or an object in it.
    pub object: Arc<Object<C>>,
    /// What `object` is.
    pub kind: ObjectKind,
    /// The text.
    pub text: &'a CStr,
}

impl<C: PassThrough> TokenFromText<'_, C> {
    /// Asks the connector below.
    pub fn forward(&mut self) -> Result<Token> {
        let below = self.object.require_below()?;
        let mut token = Token::default();
        // SAFETY: our object's counterpart below, a C string and room for a token.
        status(unsafe {
            let answer = (&raw mut token).cast::<H5O_token_t>();
            call_below!(
                below,
                token_cls.from_str,
                H5VLtoken_from_str,
                (below.as_ptr(), self.kind.id_type()),
                (self.text.as_ptr(), answer)
            )
        })?;
        Ok(token)
    }
}

pub(crate) unsafe extern "C" fn token_from_str<C: Connector>(
    object: *mut c_void,
    id_type: H5I_type_t,
    text: *const c_char,
    token: *mut H5O_token_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects, a C string and room for a token.
    unsafe {
        with_object::<C, _>(object, Callback::TokenFromString, |instance, object| {
            if text.is_null() || token.is_null() {
                return Err(Error::bad_argument("no text for a token"));
            }
            let kind = ObjectKind::from_id_type(id_type);
            let call = TokenFromText { object, kind, text: CStr::from_ptr(text) };
            *token.cast::<Token>() = method!(C, token_cls.from_str)(instance.connector(), call)?;
            Ok(0)
        })
    }
}
